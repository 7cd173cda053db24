import { it } from 'vitest';
import { Random } from '../test/blobs.js';
import { addon, isas, Program } from '../test/harness.js';

/**
 * Measures forests of complete trees over 40 features, on one row and on blocks of 1000 rows.
 * Prints the median times.
 */

const random = new Random(7);

/**
 * Returns the parameters of `trees` complete trees. Children have greater indices than their
 * parents.
 */
function forest(trees: number, depth: number, features: number): NodeJS.TypedArray[] {
  const size = 2 ** (depth + 1) - 1;
  const leaves = 2 ** depth;
  const nodes = Array.from({ length: trees * size }, (_, at) => at % size);
  const root = (at: number) => Math.floor(at / size) * size;
  const inner = (of: (at: number, node: number) => number) =>
    Int32Array.from(nodes, (node, at) => (node < leaves - 1 ? of(at, node) : 0));
  const starts = [0];
  for (const node of nodes) starts.push(starts.at(-1)! + (node < leaves - 1 ? 0 : 1));
  return [
    inner(() => random.below(features)),
    Float32Array.from(nodes, () => random.next()),
    Int32Array.from(nodes, (node) => (node < leaves - 1 ? 0 : 6)),
    inner((at, node) => root(at) + 2 * node + 1),
    inner((at, node) => root(at) + 2 * node + 2),
    inner(() => 0),
    Int32Array.from({ length: trees }, (_, tree) => tree * size),
    Int32Array.from(starts),
    new Int32Array(trees * leaves),
    Float32Array.from({ length: trees * leaves }, () => random.next()),
    new Float32Array(1),
  ];
}

function median(repeat: number, run: () => void): number {
  const samples = Array.from({ length: 200 }, () => {
    const start = process.hrtime.bigint();
    for (let at = 0; at < repeat; at++) run();
    return Number(process.hrtime.bigint() - start) / (1000 * repeat);
  });
  return samples.sort((a, b) => a - b)[100]!;
}

it.each([
  [100, 6],
  [500, 8],
])('%i trees of depth %i', { timeout: 60_000 }, (trees, depth) => {
  const program = new Program();
  program.output(program.call('tree_ensemble', [program.input('dense', 40)], ['dense', 1], forest(trees, depth, 40)));
  const rows = Float64Array.from({ length: 40_000 }, () => random.next());
  const out = new Float64Array(1000);
  for (const isa of isas) {
    const plan = program.plan(isa);
    let at = 0;
    const one = () => addon.predictRows(plan, [rows.subarray((at++ % 1000) * 40, ((at - 1) % 1000) * 40 + 40)], 1, out);
    const single = median(100, one);
    const many = median(1, () => addon.predictRows(plan, [rows], 1000, out)) / 1000;
    console.log(`${trees}x${depth} ${isa}: one row ${single.toFixed(2)} us, of 1000 ${many.toFixed(3)} us`);
  }
  program.free();
});
