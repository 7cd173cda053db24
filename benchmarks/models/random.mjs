// Seeded random numbers. One seed gives the same workload on every machine.

/**
 * Returns a generator of numbers in [0, 1) (mulberry32).
 *
 * @param {number} seed
 * @returns {() => number}
 */
export function randomOf(seed) {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/**
 * Returns a random integer in [0, below).
 *
 * @param {() => number} random
 * @param {number} below
 */
export const integer = (random, below) => Math.floor(random() * below);

/**
 * Returns a random item.
 *
 * @template T
 * @param {() => number} random
 * @param {ArrayLike<T>} list
 */
export const pick = (random, list) => list[integer(random, list.length)];

/**
 * Returns a number from the standard normal distribution (Box-Muller).
 * @param {() => number} random
 */
export const normal = (random) => Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());

/**
 * Returns a function that draws ranks from 0 to count - 1, distributed as the words of a language.
 * The probability of rank k is proportional to 1 / (k + shift) ** exponent.
 *
 * @param {() => number} random
 * @param {number} count
 * @param {{ exponent?: number, shift?: number }} [shape]
 * @returns {() => number}
 */
export function zipf(random, count, { exponent = 1.05, shift = 2.7 } = {}) {
  const sums = new Float64Array(count);
  let sum = 0;
  for (let rank = 0; rank < count; rank++) sums[rank] = sum += (rank + shift) ** -exponent;
  return () => {
    const target = random() * sum;
    let [low, high] = [0, count - 1];
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (sums[middle] <= target) low = middle + 1;
      else high = middle;
    }
    return low;
  };
}

/**
 * Assigns a version to each of `count` pipelines, in a seeded order. In Figure 3 of the paper, a
 * part has a few versions, and most pipelines use the first one.
 *
 * @param {() => number} random
 * @param {number} count
 * @param {readonly number[]} shares share of the pipelines for each version, largest first, sum 1
 * @returns {number[]} the version of each pipeline
 */
export function assignVersions(random, count, shares) {
  /** @type {number[]} */
  const versions = [];
  let wanted = 0;
  shares.forEach((share, version) => {
    wanted += share * count;
    while (versions.length < Math.round(wanted)) versions.push(version);
  });
  while (versions.length < count) versions.push(0);
  return shuffled(random, versions);
}

/**
 * Returns a shuffled copy of the list.
 *
 * @template T
 * @param {() => number} random
 * @param {T[]} list
 */
export function shuffled(random, list) {
  const order = [...list];
  for (let last = order.length - 1; last > 0; last--) {
    const other = integer(random, last + 1);
    [order[last], order[other]] = [order[other], order[last]];
  }
  return order;
}
