import { it } from 'vitest';
import { Random } from '../test/blobs.js';
import { addon, isas, Program } from '../test/harness.js';

/**
 * Compares the times of two kernels for the same sums: `dense`, and `linear`, which computes row by
 * row. It measures one row and blocks of 256 rows, and prints medians.
 */

const random = new Random(7);
const floats = (count: number) => Float32Array.from({ length: count }, () => random.next() - 0.5);
const BLOCK = 256;

function median(repeat: number, run: () => void): number {
  const samples = Array.from({ length: 60 }, () => {
    const start = process.hrtime.bigint();
    for (let at = 0; at < repeat; at++) run();
    return Number(process.hrtime.bigint() - start) / (1000 * repeat);
  });
  return samples.sort((a, b) => a - b)[30]!;
}

it.each([
  [40, 8],
  [40, 20],
  [100, 100],
  [768, 256],
])('%i features to %i outputs', { timeout: 60_000 }, (features, outputs) => {
  const [weights, bias] = [floats(features * outputs), floats(outputs)];
  const rows = Float64Array.from({ length: BLOCK * features }, () => random.next());
  const one = rows.subarray(0, features);
  const out = new Float64Array(BLOCK * outputs);
  const repeat = Math.max(1, Math.round(100_000 / (features * outputs)));
  for (const isa of isas) {
    const times = (['dense', 'linear'] as const).map((kernel) => {
      const program = new Program();
      const input = program.input('dense', features);
      program.output(program.call(kernel, [input], ['dense', outputs], [weights, bias], kernel === 'dense' ? [0] : []));
      const plan = program.plan(isa);
      const single = median(repeat, () => addon.predictRows(plan, [one], 1, out));
      const many = median(1, () => addon.predictRows(plan, [rows], BLOCK, out)) / BLOCK;
      program.free();
      return `${kernel}: one row ${single.toFixed(2)} us, of ${BLOCK} ${many.toFixed(3)} us`;
    });
    console.log(`${features} to ${outputs} ${isa}: ${times.join('; ')}`);
  }
});
