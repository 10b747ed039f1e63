'use strict';
// `graphify build|query|status|diff`: a graph of which document or file mentions what.

const fs = require('node:fs');
const path = require('node:path');
const { execFileSync } = require('node:child_process');
const { createHash } = require('node:crypto');

const MAX_BYTES = 1 << 20;
const MAX_FILES = 20000;

function tracked(cwd) {
  const args = ['ls-files', '-z', '--cached', '--others', '--exclude-standard'];
  const out = execFileSync('git', args, { cwd, encoding: 'utf8', maxBuffer: 64 << 20, timeout: 30000 });
  return out.split('\0').filter(Boolean).slice(0, MAX_FILES).sort();
}

function read(cwd, file) {
  try {
    const full = path.join(cwd, file);
    const stat = fs.lstatSync(full);
    return stat.isFile() && stat.size <= MAX_BYTES ? fs.readFileSync(full, 'utf8') : '';
  } catch {
    return '';
  }
}

/** Nodes and edges: who mentions a requirement, a decision or a file, and on which line. */
function build(cwd) {
  const files = tracked(cwd).filter((file) => !file.startsWith('.planning/graphs/'));
  const known = new Set(files);
  const nodes = new Map(files.map((file) => [file, file.endsWith('.md') ? 'document' : 'file']));
  const edges = [];
  const hash = createHash('sha256');
  for (const file of files) {
    const text = read(cwd, file);
    hash.update(file).update('\0').update(text).update('\0');
    text.split('\n').forEach((line, index) => {
      for (const [id] of line.matchAll(/\b(?:REQ|D)-[A-Z0-9][A-Z0-9-]*\b/g)) {
        nodes.set(id, id.startsWith('D-') ? 'decision' : 'requirement');
        edges.push({ from: file, to: id, line: index + 1 });
      }
      for (const [word] of line.matchAll(/[\w./@-]+\.\w{1,8}/g)) {
        if (word !== file && known.has(word)) edges.push({ from: file, to: word, line: index + 1 });
      }
    });
  }
  const list = [...nodes].map(([id, kind]) => ({ id, kind })).sort((a, b) => (a.id < b.id ? -1 : 1));
  return { version: '1', digest: hash.digest('hex'), nodes: list, edges };
}

const place = (cwd) => path.join(cwd, '.planning', 'graphs', 'graph.json');

function load(cwd, error) {
  try {
    return JSON.parse(fs.readFileSync(place(cwd), 'utf8'));
  } catch {
    return error('there is no graph yet: run `graphify build`');
  }
}

function print(value) {
  process.stdout.write(`${JSON.stringify(value, null, 2)}\n`);
}

function routeGraphifyCommand({ args, cwd, error }) {
  const [verb, word] = args;
  if (verb === 'build') {
    const graph = build(cwd);
    fs.mkdirSync(path.dirname(place(cwd)), { recursive: true });
    fs.writeFileSync(place(cwd), `${JSON.stringify(graph, null, 1)}\n`);
    return print({ nodes: graph.nodes.length, edges: graph.edges.length });
  }
  if (verb === 'query') {
    if (!word) return error('usage: graphify query NAME');
    const graph = load(cwd, error);
    if (!graph) return undefined;
    const edges = graph.edges.filter((edge) => edge.from === word || edge.to === word);
    return print({ name: word, known: graph.nodes.some((node) => node.id === word), edges });
  }
  if (verb === 'status' || verb === 'diff') {
    const old = load(cwd, error);
    if (!old) return undefined;
    const now = build(cwd);
    if (verb === 'status') return print({ state: old.digest === now.digest ? 'fresh' : 'stale' });
    const names = (graph) => new Set(graph.nodes.map((node) => node.id));
    const [before, after] = [names(old), names(now)];
    return print({
      added: [...after].filter((id) => !before.has(id)),
      removed: [...before].filter((id) => !after.has(id)),
    });
  }
  return error('usage: graphify build | query NAME | status | diff');
}

module.exports = { routeGraphifyCommand };
