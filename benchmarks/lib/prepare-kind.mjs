// The model files and fleet files of one kind of pipelines. Started by prepare.mjs. Parameter: kind.
import { openWorkload } from '../workload/fleets.mjs';
import { membersWithFiles, UNSHARED } from './paper-sizes.mjs';

const EVERY_MS = 10_000;
const kind = /** @type {import('../workload/fleets.mjs').Kind} */ (process.argv[2]);
const start = performance.now();
let told = start;

/** Now and then, how far it is. @param {string} what @param {number} count @param {number} of */
function progress(what, count, of) {
  if (performance.now() - told < EVERY_MS) return;
  told = performance.now();
  console.log(`  ${kind}: ${what}, ${count} of ${of} (${((told - start) / 1000).toFixed(0)} s)`);
}

const fleet = openWorkload(kind);
const unshared = openWorkload(kind, { shared: false });
const other = openWorkload(kind, { seed: 2 });
const members = membersWithFiles(fleet);
/** @type {(() => string)[]} */
const files = [
  ...members.flatMap((member) => [() => fleet.file(member, 'natural'), () => fleet.file(member, 'expert')]),
  ...Array.from({ length: Math.min(UNSHARED, fleet.members.length) }, (_, at) => () => unshared.file(at, 'natural')),
  () => other.file(0, 'natural'),
  () => other.file(0, 'expert'),
];
files.forEach((make, at) => {
  make();
  progress('models written', at + 1, files.length);
});
await fleet.packed(1);
await fleet.packed(undefined, (count) => progress('packed', count, fleet.members.length));
console.log(`  ${kind}: files are there (${((performance.now() - start) / 1000).toFixed(0)} s)`);
