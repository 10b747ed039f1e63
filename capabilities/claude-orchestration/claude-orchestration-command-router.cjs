'use strict';
// `claude-orchestration detect-backend|emit-workflow|resolve-wave-dispatch`: whether waves can be run
// by the host's workflow tool, and the script that does it.

const fs = require('node:fs');
const path = require('node:path');

function setting(cwd, key, fallback) {
  try {
    const config = JSON.parse(fs.readFileSync(path.join(cwd, '.planning', 'config.json'), 'utf8'));
    const value = config.claude_orchestration?.[key];
    return typeof value === typeof fallback ? value : fallback;
  } catch {
    return fallback;
  }
}

function atLeast(version, floor) {
  const numbers = (text) => text.split('.').map((part) => Number.parseInt(part, 10));
  const [have, need] = [numbers(version), numbers(floor)];
  if ([...have, ...need].some(Number.isNaN)) return false;
  for (let i = 0; i < 3; i += 1) {
    if ((have[i] ?? 0) !== (need[i] ?? 0)) return (have[i] ?? 0) > (need[i] ?? 0);
  }
  return true;
}

/** `workflow` only where everything that it needs is known to be there. */
function backend(cwd) {
  const wanted = setting(cwd, 'execution_backend', 'auto');
  const floor = setting(cwd, 'min_agent_sdk_version', '0.3.149');
  const version = process.env.CLAUDE_AGENT_SDK_VERSION ?? '';
  const enabled = setting(cwd, 'enabled', false);
  const possible = enabled && process.env.CLAUDECODE === '1' && atLeast(version, floor);
  const chosen = wanted !== 'inline' && possible ? 'workflow' : 'inline';
  return { backend: chosen, wanted, enabled, sdk: version || null, floor };
}

/** The plans of a phase folder by their waves. */
function waves(folder) {
  const found = new Map();
  const plans = fs.readdirSync(folder).filter((name) => /(^|-)PLAN\.md$/.test(name)).sort();
  for (const name of plans) {
    const text = fs.readFileSync(path.join(folder, name), 'utf8').slice(0, 20000);
    const wave = Number.parseInt(/^wave:\s*"?(\d+)/m.exec(text)?.[1] ?? '1', 10);
    found.set(wave, [...(found.get(wave) ?? []), name]);
  }
  return [...found].sort(([a], [b]) => a - b).map(([wave, names]) => ({ wave, plans: names }));
}

function routeClaudeOrchestrationCommand({ args, cwd, error }) {
  const [verb, folder] = args;
  const print = (value) => process.stdout.write(`${JSON.stringify(value, null, 2)}\n`);
  if (verb === 'detect-backend') return print(backend(cwd));
  if (verb === 'emit-workflow' || verb === 'resolve-wave-dispatch') {
    if (!folder) return error(`usage: claude-orchestration ${verb} PHASE-FOLDER`);
    const full = path.resolve(cwd, folder);
    if (!full.startsWith(path.resolve(cwd) + path.sep)) return error('the folder is outside the project');
    const found = waves(full);
    if (verb === 'resolve-wave-dispatch') return print({ ...backend(cwd), waves: found });
    const steps = found.map(({ plans }) => ({
      parallel: plans.map((name) => ({ agent: 'gsd-executor', plan: path.join(folder, name) })),
    }));
    return print({ steps });
  }
  return error('usage: claude-orchestration detect-backend | emit-workflow | resolve-wave-dispatch');
}

module.exports = { routeClaudeOrchestrationCommand };
