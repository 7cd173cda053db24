import { integer } from '../lib/random.mjs';

// Who shares what with whom: a handful of versions, most pipelines on the first (Figure 3).

/**
 * Gives each of `count` pipelines a version, as often as the shares say, in a seeded order.
 *
 * @param {() => number} random
 * @param {number} count
 * @param {readonly number[]} shares of the pipelines, most used first; they add up to 1
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

/** @template T @param {() => number} random @param {T[]} list */
export function shuffled(random, list) {
  const order = [...list];
  for (let last = order.length - 1; last > 0; last--) {
    const other = integer(random, last + 1);
    [order[last], order[other]] = [order[other], order[last]];
  }
  return order;
}
