'use strict';
// `intel api-surface|query|status`: an index of what the code exports.

const fs = require('node:fs');
const path = require('node:path');
const { execFileSync } = require('node:child_process');

const MAX_BYTES = 1 << 20;
const MAX_FILES = 20000;

/** For each kind of file, lines that export something and the name that they export. */
const EXPORTS = [
  [/\.(?:[cm]?[jt]sx?)$/, /^\s*export\s+(?:default\s+)?(?:async\s+)?(?:function\*?|class|const|let|var|interface|type|enum)\s+([\w$]+)/],
  [/\.rs$/, /^\s*pub\s+(?:async\s+|const\s+|unsafe\s+)*(?:fn|struct|enum|trait|type|const|static|mod)\s+(\w+)/],
  [/\.py$/, /^(?:async\s+)?(?:def|class)\s+([A-Za-z]\w*)/],
  [/\.go$/, /^(?:func(?:\s*\([^)]*\))?|type|var|const)\s+([A-Z]\w*)/],
  [/\.(?:java|kt|cs)$/, /^\s*public\s+(?:static\s+|final\s+|abstract\s+)*(?:class|interface|enum|record)\s+(\w+)/],
];

function surface(cwd) {
  const args = ['ls-files', '-z', '--cached', '--others', '--exclude-standard'];
  const out = execFileSync('git', args, { cwd, encoding: 'utf8', maxBuffer: 64 << 20, timeout: 30000 });
  const found = [];
  for (const file of out.split('\0').filter(Boolean).slice(0, MAX_FILES).sort()) {
    const kind = EXPORTS.find(([name]) => name.test(file));
    if (!kind) continue;
    let text = '';
    try {
      const stat = fs.lstatSync(path.join(cwd, file));
      if (!stat.isFile() || stat.size > MAX_BYTES) continue;
      text = fs.readFileSync(path.join(cwd, file), 'utf8');
    } catch {
      continue;
    }
    text.split('\n').forEach((line, index) => {
      const match = kind[1].exec(line);
      if (match) found.push({ name: match[1], file, line: index + 1, text: line.trim().slice(0, 160) });
    });
  }
  return found;
}

function routeIntelCommand({ args, cwd, error }) {
  const [verb, word] = args;
  const print = (value) => process.stdout.write(`${JSON.stringify(value, null, 2)}\n`);
  if (verb === 'query') {
    if (!word) return error('usage: intel query NAME');
    return print({ name: word, exports: surface(cwd).filter((item) => item.name === word) });
  }
  if (verb === 'api-surface') {
    const items = surface(cwd);
    const target = path.join(cwd, '.planning', 'intel', 'API-SURFACE.md');
    let text = '# What the code exports\n';
    let file = '';
    for (const item of items) {
      if (item.file !== file) text += `\n## ${item.file}\n\n`;
      file = item.file;
      text += `- \`${item.text.replaceAll('`', "'")}\` (line ${item.line})\n`;
    }
    fs.mkdirSync(path.dirname(target), { recursive: true });
    fs.writeFileSync(target, text);
    return print({ file: path.relative(cwd, target), exports: items.length });
  }
  if (verb === 'status') {
    const exists = fs.existsSync(path.join(cwd, '.planning', 'intel', 'API-SURFACE.md'));
    return print({ written: exists, exports: surface(cwd).length });
  }
  return error('usage: intel api-surface | query NAME | status');
}

module.exports = { routeIntelCommand };
