'use strict';
// `audit-uat` and `audit-open`: what is still open in the planning folder. Reads files, writes none.

const fs = require('node:fs');
const path = require('node:path');

const MAX_BYTES = 1 << 20;
const MAX_FILES = 5000;

/** Markdown files below a folder, sorted, links not followed. */
function markdown(folder, found = []) {
  let entries;
  try {
    entries = fs.readdirSync(folder, { withFileTypes: true });
  } catch {
    return found;
  }
  for (const entry of entries.sort((a, b) => (a.name < b.name ? -1 : 1))) {
    const full = path.join(folder, entry.name);
    if (found.length >= MAX_FILES) break;
    if (entry.isDirectory()) markdown(full, found);
    else if (entry.isFile() && entry.name.endsWith('.md')) found.push(full);
  }
  return found;
}

function lines(file) {
  if (fs.statSync(file).size > MAX_BYTES) return [];
  return fs.readFileSync(file, 'utf8').split(/\r?\n/);
}

/** Open items of a list of files: unticked boxes and lines that say so. */
function open(cwd, files, pattern) {
  const items = [];
  for (const file of files) {
    lines(file).forEach((text, index) => {
      if (pattern.test(text)) {
        items.push({ file: path.relative(cwd, file), line: index + 1, text: text.trim().slice(0, 200) });
      }
    });
  }
  return items;
}

function print(value) {
  process.stdout.write(`${JSON.stringify(value, null, 2)}\n`);
}

function routeAuditUat({ cwd }) {
  const phases = path.join(cwd, '.planning', 'phases');
  const files = markdown(phases).filter((file) => /(^|-)UAT\.md$/.test(path.basename(file)));
  const items = open(cwd, files, /^\s*[-*] \[ \]|\b(result|status):\s*(pending|failed|blocked|issue)\b/i);
  print({ files: files.length, open: items.length, items });
}

function routeAuditOpen({ cwd }) {
  const root = path.join(cwd, '.planning');
  const kinds = ['debug', 'tasks', 'threads', 'todos', 'seeds'];
  const folders = kinds.map((kind) => [kind, markdown(path.join(root, kind))]);
  const phases = markdown(path.join(root, 'phases'));
  const named = (suffix) => phases.filter((file) => path.basename(file).endsWith(suffix));
  const pattern = /^\s*[-*] \[ \]|^status:\s*(open|pending|in.progress|blocked|gaps_found)\b/i;
  const result = {};
  for (const [kind, files] of folders) result[kind] = open(cwd, files, pattern);
  result.uat = open(cwd, named('UAT.md'), pattern);
  result.verification = open(cwd, named('VERIFICATION.md'), pattern);
  result.questions = open(cwd, named('CONTEXT.md'), /^\s*[-*] \[ \]|\bopen question\b/i);
  const total = Object.values(result).reduce((sum, items) => sum + items.length, 0);
  print({ open: total, ...result });
}

module.exports = { routeAuditUat, routeAuditOpen };
