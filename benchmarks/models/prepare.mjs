// Generates the ONNX files and fleet files of the paper's workload before experiments run, in one
// process for each kind of pipeline. run.mjs starts this script with the names of the experiments.
// `--kind sa` runs one of the processes.
import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { openWorkload } from './fleets.mjs';
import { membersWithFiles, UNSHARED } from './sizes.mjs';

/** Experiments that use a fleet although their name does not contain a kind. */
const wants = {
  sa: ['fig13-heavy', 'fig10-materialization'],
  ac: ['fig13-heavy', 'fig14-http-heavy'],
};
const EVERY_MS = 10_000;

const [first, kind] = process.argv.slice(2);
if (first === '--kind') await generate(/** @type {import('./fleets.mjs').Kind} */ (kind));
else await generateFor(process.argv.slice(2));

/** @param {readonly string[]} units */
async function generateFor(units) {
  const kinds = Object.entries(wants).filter(([kind, names]) =>
    units.some((unit) => unit.endsWith(`:${kind}`) || names.some((name) => unit.startsWith(name))),
  );
  const codes = await Promise.all(kinds.map(([kind]) => child(kind)));
  process.exitCode = codes.every((code) => code === 0) ? 0 : 1;
}

/** @param {string} kind @returns {Promise<number | null>} */
function child(kind) {
  return new Promise((resolve, reject) => {
    const script = fileURLToPath(import.meta.url);
    const started = spawn(process.execPath, ['--expose-gc', script, '--kind', kind], { stdio: 'inherit' });
    started.on('error', reject);
    started.on('exit', resolve);
  });
}

/** @param {import('./fleets.mjs').Kind} kind */
async function generate(kind) {
  const start = performance.now();
  const seconds = () => `${((performance.now() - start) / 1000).toFixed(0)} s`;
  let printed = start;
  const progress = (/** @type {string} */ what, /** @type {number} */ count, /** @type {number} */ of) => {
    if (performance.now() - printed < EVERY_MS) return;
    printed = performance.now();
    console.log(`  ${kind}: ${what}, ${count} of ${of} (${seconds()})`);
  };
  const fleet = openWorkload(kind);
  const unshared = openWorkload(kind, { shared: false });
  const other = openWorkload(kind, { seed: 2 });
  const count = Math.min(UNSHARED, fleet.members.length);
  /** @type {(() => string)[]} */
  const files = [
    ...membersWithFiles(fleet).flatMap((member) => [
      () => fleet.file(member, 'natural'),
      () => fleet.file(member, 'expert'),
    ]),
    ...Array.from({ length: count }, (_, index) => () => unshared.file(index, 'natural')),
    () => other.file(0, 'natural'),
    () => other.file(0, 'expert'),
  ];
  files.forEach((make, index) => {
    make();
    progress('models generated', index + 1, files.length);
  });
  await fleet.packed(1);
  await fleet.packed(undefined, (packed) => progress('models packed', packed, fleet.members.length));
  console.log(`  ${kind}: all files exist (${seconds()})`);
}
