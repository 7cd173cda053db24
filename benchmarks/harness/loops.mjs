import { spread, summary } from './stats.mjs';

// Two ways to call an engine and to measure its times.
//
// `interleave` is a closed loop: contestants alternate in short blocks in one process, and each
// call starts after the previous call. If the machine slows down, all contestants slow down, and
// the ratio of neighboring blocks hardly changes.
//
// `openLoop` sends requests at fixed times. The latency of a request starts at the time at which it
// is due, not at the time at which it was sent. A slow answer therefore also counts for the
// requests that it delays (no coordinated omission).

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

/** At most this many requests are sent in one turn of the event loop. */
const BURST = 16;
const DRAIN_MS = 5000;

/**
 * `now` returns the current time in ms. `pause` waits for some ms.
 *
 * @typedef {{ now: () => number, pause: (ms: number) => Promise<void> }} Clock
 */

/** @type {Clock} */
const realClock = {
  now: () => performance.now(),
  // Timers fire about 1 ms late, so the last milliseconds are polled.
  pause: (ms) => new Promise((resolve) => (ms > 2 ? setTimeout(resolve, ms - 1) : setImmediate(resolve))),
};

/**
 * Returns the arrival times of a Poisson process in ms. Independent callers produce such times.
 *
 * @param {() => number} random
 * @param {number} rate requests per second
 * @param {number} seconds
 */
export function poissonArrivals(random, rate, seconds) {
  const gap = () => -Math.log(1 - random()) / rate;
  const times = [];
  let due = gap();
  while (due < seconds) {
    times.push(due * 1000);
    due += gap();
  }
  return Float64Array.from(times);
}

/**
 * Sends request `index` at the time `arrivals[index]`, and waits for the answers. If a request has
 * no answer `drainMs` after the last request was sent, it counts as unanswered, with the time until
 * then as its latency.
 *
 * @param {Float64Array} arrivals ms from the start, ascending
 * @param {(index: number) => unknown} send may return a promise
 * @param {{ clock?: Clock, drainMs?: number }} [options]
 * @returns {Promise<{ latencies: Float64Array, lateness: Float64Array, failed: number, unanswered:
 * number, elapsedMs: number }>}
 *   in ms; `lateness` is how late the load generator sent each request
 */
export async function openLoop(arrivals, send, { clock = realClock, drainMs = DRAIN_MS } = {}) {
  const start = clock.now();
  const latencies = new Float64Array(arrivals.length).fill(Number.NaN);
  const lateness = new Float64Array(arrivals.length);
  let open = 0;
  let failed = 0;
  let isOver = false;
  let last = 0;
  const settle = (/** @type {number} */ index, /** @type {boolean} */ isGood) => {
    if (isOver) return;
    open--;
    if (!isGood) failed++;
    last = clock.now() - start;
    latencies[index] = last - arrivals[index];
  };
  const request = (/** @type {number} */ index) => {
    open++;
    try {
      const answer = send(index);
      if (answer instanceof Promise)
        answer.then(
          () => settle(index, true),
          () => settle(index, false),
        );
      else settle(index, true);
    } catch {
      settle(index, false);
    }
  };
  let next = 0;
  while (next < arrivals.length) {
    const elapsed = clock.now() - start;
    if (arrivals[next] > elapsed) {
      await clock.pause(arrivals[next] - elapsed);
      continue;
    }
    lateness[next] = elapsed - arrivals[next];
    request(next++);
    if (next % BURST === 0) await clock.pause(0);
  }
  const end = clock.now() + drainMs;
  while (open > 0 && clock.now() < end) await clock.pause(5);
  isOver = true;
  const given = clock.now() - start;
  latencies.forEach((latency, index) => {
    if (Number.isNaN(latency)) latencies[index] = given - arrivals[index];
  });
  return { latencies, lateness, failed, unanswered: open, elapsedMs: open > 0 ? given : last };
}
