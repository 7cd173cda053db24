import { scale } from '../lib/report.mjs';

// One number shrinks the paper's workload: pipelines, dictionaries and trees alike.

/** Both fleets of the paper. */
const PIPELINES = 250;
const FEWEST = 10;
/** Entries of the largest dictionaries (Table 1). */
const ENTRIES = 1_000_000;

/** @param {number} [share] @returns {{ share: number, pipelines: number, entries: number }} */
export function scaled(share = scale) {
  if (!(share > 0 && share <= 1)) throw new RangeError(`--scale is a number above 0 and at most 1, not ${share}`);
  return {
    share,
    pipelines: Math.max(FEWEST, Math.round(PIPELINES * share)),
    entries: Math.round(ENTRIES * share),
  };
}
