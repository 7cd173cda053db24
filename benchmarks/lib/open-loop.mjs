// Load without coordinated omission: requests have times at which they are due, whatever becomes of those before. A latency counts from the time a
// request was due, not from when it could be sent.

/** Requests sent in one go, at most, before the event loop gets its turn. */
const BURST = 16;
const DRAIN_MS = 5000;

/** @typedef {{ now: () => number, pause: (ms: number) => Promise<void> }} Clock ms */

/** @type {Clock} */
const realClock = {
  now: () => performance.now(),
  // Timers are a millisecond late or so: the last stretch goes turn by turn.
  pause: (ms) => new Promise((resolve) => (ms > 2 ? setTimeout(resolve, ms - 1) : setImmediate(resolve))),
};

/**
 * Times of a Poisson process, in ms: independent callers.
 *
 * @param {() => number} random @param {number} rate requests a second @param {number} seconds
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
 * Sends request `at` when `arrivals[at]` has come, and waits for the answers; those that are not there some seconds after the last request are given
 * up and count with the time they had.
 *
 * @param {Float64Array} arrivals ms from the start, ascending
 * @param {(at: number) => unknown} send a promise it returns is waited for
 * @param {{ clock?: Clock, drainMs?: number }} [options]
 * @returns {Promise<{ latencies: Float64Array, lateness: Float64Array, failed: number, unanswered: number, elapsedMs: number }>} ms; lateness: of
 *   sending, which is the load generator's own
 */
export async function openLoop(arrivals, send, { clock = realClock, drainMs = DRAIN_MS } = {}) {
  const start = clock.now();
  const latencies = new Float64Array(arrivals.length).fill(Number.NaN);
  const lateness = new Float64Array(arrivals.length);
  let open = 0;
  let failed = 0;
  let isOver = false;
  let last = 0;
  const settle = (/** @type {number} */ at, /** @type {boolean} */ isGood) => {
    if (isOver) return;
    open--;
    if (!isGood) failed++;
    last = clock.now() - start;
    latencies[at] = last - arrivals[at];
  };
  const request = (/** @type {number} */ at) => {
    open++;
    try {
      const answer = send(at);
      if (answer instanceof Promise)
        answer.then(
          () => settle(at, true),
          () => settle(at, false),
        );
      else settle(at, true);
    } catch {
      settle(at, false);
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
  latencies.forEach((latency, at) => {
    if (Number.isNaN(latency)) latencies[at] = given - arrivals[at];
  });
  return { latencies, lateness, failed, unanswered: open, elapsedMs: open > 0 ? given : last };
}

/** Draws model numbers by Zipf's law, `alpha` as the paper has it: the i-th most popular with i^-alpha. @param {() => number} random @param {number} count @param {number} alpha */
export function zipfPicker(random, count, alpha) {
  const sums = new Float64Array(count);
  let sum = 0;
  for (let rank = 0; rank < count; rank++) sums[rank] = sum += (rank + 1) ** -alpha;
  return () => {
    const target = random() * sum;
    const rank = sums.findIndex((upTo) => upTo > target);
    return rank < 0 ? count - 1 : rank;
  };
}
