// Parts of an experiment, each of which can be run alone: `npm run bench:paper -- fig8-memory:ac`.

const wanted = process.env.BENCH_PART;

/** Those that this process is to run. @template {string} Part @param {readonly Part[]} all @returns {readonly Part[]} */
export function partsOf(all) {
  return wanted === undefined ? all : all.filter((part) => part === wanted);
}

/** Both fleets, or the one that is asked for. */
export const kinds = partsOf(/** @type {const} */ (['sa', 'ac']));
