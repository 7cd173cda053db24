import { execFileSync } from 'node:child_process';
import { createRequire } from 'node:module';
import { availableParallelism, cpus, totalmem } from 'node:os';
import { loadNative } from 'brezel';

export { machineLine } from './machine-line.mjs';

/** @param {string[]} command */
function git(...command) {
  try {
    return execFileSync('git', command, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }).trim();
  } catch {
    return '';
  }
}

/** What a number depends on. */
export function machine() {
  const changed = git('status', '--porcelain', '--', 'packages', 'native') !== '';
  return {
    cpu: cpus()[0]?.model.trim() ?? 'unknown',
    cores: availableParallelism(),
    memoryGiB: Math.round(totalmem() / 2 ** 30),
    platform: `${process.platform}-${process.arch}`,
    node: process.version,
    isa: process.env.NATIVE_ISA ?? loadNative().addon?.isas().at(-1) ?? 'no addon',
    rival: `onnxruntime-node ${createRequire(import.meta.url)('onnxruntime-node/package.json').version}`,
    commit: (git('rev-parse', '--short', 'HEAD') || 'none') + (changed ? ' with changes' : ''),
    date: new Date().toISOString().slice(0, 10),
  };
}
