import { spread, summary } from './stats.mjs';

// Measures contestants that alternate in short blocks in one process. If the machine slows down,
// all contestants slow down, and the ratio of neighboring blocks hardly changes.

/**
 * One contestant. `call(index)` answers the row with this index. If it returns a promise, the
 * measured time ends when the promise is fulfilled.
 *
 * @typedef {{ name: string, calls: number, isAsync?: boolean, call: (index: number) => unknown }}
 * Contestant
 */
/**
 * The times of one contestant in µs. `blocks` has the median of each block, and `tails` the p99 of
 * each block.
 *
 * @typedef {ReturnType<typeof summary> & { blocks: number[], tails: number[] }} Times
 */

/**
 * Measures all contestants, which alternate in each round, and returns their times.
 *
 * @param {Contestant[]} contestants
 * @param {{ rounds: number, onRound?: (round: number) => void }} options
 * @returns {Promise<Record<string, Times>>}
 */
export async function interleave(contestants, { rounds, onRound }) {
  const times = new Map(
    contestants.map(({ name, calls }) => [
      name,
      {
        all: new Float64Array(rounds * calls),
        blocks: /** @type {number[]} */ ([]),
        tails: /** @type {number[]} */ ([]),
      },
    ]),
  );
  // One unmeasured block of each contestant warms up the contestant.
  for (const contestant of contestants) await block(contestant, new Float64Array(contestant.calls), 0);
  for (let round = 0; round < rounds; round++) {
    const order = round % 2 === 0 ? contestants : contestants.toReversed();
    for (const contestant of order) {
      const { all, blocks, tails } = /** @type {{ all: Float64Array, blocks: number[], tails: number[] }} */ (
        times.get(contestant.name)
      );
      const samples = all.subarray(round * contestant.calls, (round + 1) * contestant.calls);
      await block(contestant, samples, round * contestant.calls);
      const { median, p99 } = summary(samples);
      blocks.push(median);
      tails.push(p99);
    }
    onRound?.(round);
  }
  return Object.fromEntries(
    [...times].map(([name, { all, blocks, tails }]) => [name, { ...summary(all), blocks, tails }]),
  );
}

/**
 * Measures each call separately, for the p99. Each time includes about 40 ns for reading the clock.
 *
 * @param {Contestant} contestant
 * @param {Float64Array} samples
 * @param {number} first
 */
async function block({ call, isAsync }, samples, first) {
  // Unmeasured calls refill the processor caches after the previous contestant.
  for (let index = 0; index < 3; index++) await call(first + index);
  for (let index = 0; index < samples.length; index++) {
    const start = performance.now();
    if (isAsync) await call(first + index);
    else call(first + index);
    samples[index] = (performance.now() - start) * 1000;
  }
}

/**
 * Returns how many times as long the rival takes as Brezel: the median of the rounds, and the range
 * of their middle half.
 *
 * @param {Times} rival
 * @param {Times} ours
 */
export const timesFaster = (rival, ours) => spread(rival.blocks.map((time, round) => time / ours.blocks[round]));
