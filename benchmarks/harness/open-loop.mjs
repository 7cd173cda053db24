// Open-loop load without coordinated omission. Requests are due at fixed times. The latency of a
// request starts at its due time, not at the time when the request was sent.

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

/**
 * Returns a function that draws model indices by Zipf's law, as in the paper: the i-th most popular
 * model has weight i^-alpha.
 *
 * @param {() => number} random
 * @param {number} count
 * @param {number} alpha
 */
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
