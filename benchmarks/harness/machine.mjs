import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { availableParallelism, cpus, totalmem } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

// Describes what a measurement depends on: processor, versions, commit, build.

const root = fileURLToPath(new URL('../..', import.meta.url));

/** @param {string[]} command */
function git(...command) {
  try {
    return execFileSync('git', command, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }).trim();
  } catch {
    return '';
  }
}

/** Describes this machine and build, for the first record of a results file. */
export async function machine() {
  const { loadNative } = await import('brezel');
  const isChanged = git('status', '--porcelain', '--', 'packages', 'native') !== '';
  return {
    cpu: cpus()[0]?.model.trim() ?? 'unknown',
    cores: availableParallelism(),
    memoryGiB: Math.round(totalmem() / 2 ** 30),
    platform: `${process.platform}-${process.arch}`,
    node: process.version,
    isa: process.env.NATIVE_ISA ?? loadNative().addon?.isas().at(-1) ?? 'no addon',
    rival: `onnxruntime-node ${createRequire(import.meta.url)('onnxruntime-node/package.json').version}`,
    commit: (git('rev-parse', '--short', 'HEAD') || 'none') + (isChanged ? ' with changes' : ''),
    date: new Date().toISOString().slice(0, 10),
    build: buildVersion(),
  };
}

/** Describes the machine in one line of text. @param {Awaited<ReturnType<typeof machine>>} about */
export const machineLine = ({ cpu, cores, memoryGiB, platform, node, rival, isa, commit, date }) =>
  `${cpu}, ${cores} cores, ${memoryGiB} GiB, ${platform}, Node ${node}, ${rival}, kernels ${isa}, commit ${commit}, ${date}`;

/** Describes the machine in one short line for the README. @param {Record<string, any>} about */
export const shortMachineLine = ({ cpu, cores, node, rival, isa, commit, date }) =>
  `${cpu}, ${cores} cores, ${isa}, Node ${node}, ${rival}, commit ${commit}, ${date}`;

/** @type {string | undefined} */
let build;

/**
 * Returns a checksum of everything that runs (packages and addon), because builds of one commit may
 * differ.
 */
export function buildVersion() {
  build ??= checksum();
  return build;
}

function checksum() {
  const hash = createHash('sha256');
  for (const name of readdirSync(join(root, 'packages')).sort()) {
    const dist = join(root, 'packages', name, 'dist');
    if (!existsSync(dist)) continue;
    const files = readdirSync(dist, { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.js'));
    for (const file of files.sort()) hash.update(readFileSync(join(dist, file)));
  }
  const addon = join(root, 'native/build/Release/brezel.node');
  if (existsSync(addon)) hash.update(readFileSync(addon));
  return hash.digest('hex').slice(0, 12);
}
