'use strict';
// Reads the user's own session histories on this machine and turns a profile into texts. Nothing is
// sent anywhere, and nothing is written but the profile that the user has seen.

const fs = require('node:fs');
const os = require('node:os');
const path = require('node:path');

const MAX_BYTES = 32 << 20;
const home = () => process.env.CLAUDE_CONFIG_DIR || path.join(os.homedir(), '.claude');
const print = (value) => process.stdout.write(`${JSON.stringify(value, null, 2)}\n`);

function sessions() {
  const root = path.join(home(), 'projects');
  const found = [];
  for (const project of fs.existsSync(root) ? fs.readdirSync(root).sort() : []) {
    const folder = path.join(root, project);
    if (!fs.lstatSync(folder).isDirectory()) continue;
    for (const name of fs.readdirSync(folder).sort()) {
      const file = path.join(folder, name);
      const stat = fs.lstatSync(file);
      if (stat.isFile() && name.endsWith('.jsonl') && stat.size <= MAX_BYTES) {
        found.push({ id: name.slice(0, -6), project, bytes: stat.size, changed: stat.mtime.toISOString(), file });
      }
    }
  }
  return found;
}

function messages(file) {
  const found = [];
  for (const line of fs.readFileSync(file, 'utf8').split('\n')) {
    try {
      const entry = JSON.parse(line);
      const content = entry.message?.content;
      if (entry.type === 'user' && typeof content === 'string' && !content.startsWith('<')) {
        found.push({ at: entry.timestamp ?? null, text: content.slice(0, 2000) });
      }
    } catch {
      // A line that is cut off says nothing.
    }
  }
  return found;
}

function option(args, name) {
  const at = args.indexOf(name);
  return at >= 0 ? args[at + 1] : undefined;
}

function routeScanSessions() {
  print(sessions().map(({ file, ...rest }) => rest));
}

function routeExtractMessages({ args, error }) {
  const session = sessions().find((one) => one.id === args[0]);
  if (!session) return error('usage: extract-messages SESSION; `scan-sessions` lists them');
  return print(messages(session.file));
}

function routeProfileSample({ args }) {
  const wanted = Math.min(Number.parseInt(option(args, '--count') ?? '80', 10) || 80, 500);
  const all = sessions().flatMap((one) => messages(one.file).map((message) => ({ session: one.id, ...message })));
  all.sort((a, b) => ((a.at ?? '') < (b.at ?? '') ? -1 : 1));
  const step = Math.max(1, all.length / wanted);
  const sample = [];
  for (let at = 0; at < all.length && sample.length < wanted; at += step) sample.push(all[Math.floor(at)]);
  print(sample);
}

function profile(args, error) {
  const file = option(args, '--from') ?? path.join(home(), 'USER-PROFILE.md');
  if (!fs.existsSync(file)) return error('there is no profile: give one with --from FILE');
  return fs.readFileSync(file, 'utf8').slice(0, 100000);
}

function routeWriteProfile({ args, error }) {
  if (!option(args, '--from')) return error('usage: write-profile --from FILE');
  const text = profile(args, error);
  if (!text) return undefined;
  const target = path.join(home(), 'USER-PROFILE.md');
  fs.writeFileSync(target, text, { mode: 0o600 });
  return print({ written: target });
}

const QUESTIONS = [
  'Do you want a plan before code, or code that you then correct?',
  'Which decisions do you want to be asked about, and which not?',
  'How long should an answer be when you did not ask for detail?',
  'When do you want tests: before, after, or only where it is risky?',
  'How do you like commits: size, wording, when?',
  'What have agents done that annoyed you?',
];

function routeProfileQuestionnaire() {
  print(QUESTIONS);
}

/** The profile under a heading; the text is the user's own and stays as it is. */
function generate(heading) {
  return ({ args, error }) => {
    const text = profile(args, error);
    if (text) process.stdout.write(`## ${heading}\n\n${text.replace(/^#+ .*\n+/, '').trim()}\n`);
  };
}

module.exports = {
  routeScanSessions,
  routeExtractMessages,
  routeProfileSample,
  routeWriteProfile,
  routeProfileQuestionnaire,
  routeGenerateDevPreferences: generate('How I like to work'),
  routeGenerateClaudeProfile: generate('About the developer'),
  routeGenerateClaudeMd: generate('Preferences of the developer'),
};
