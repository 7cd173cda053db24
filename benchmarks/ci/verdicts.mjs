import { confidenceOfEach, pairedRatio, verdictOf } from '../../packages/cli/dist/bench-statistics.js';

// Converts trials to rows with verdicts, and rows to Markdown. A trial is one sample. Its rounds
// are pairs of neighboring blocks.

/**
 * For each workload that onnxruntime-node also runs, the smallest allowed ratio of
 * onnxruntime-node's time to Brezel's time. The limits are far below the usual ratios on any
 * instruction set, so that only a broken build fails.
 */
export const floors = /** @type {const} */ ({ 'SA single': 5, 'forest single': 2, 'forest batch': 2 });

/**
 * The probability that all confidence intervals of one table contain the true ratios. A run has two
 * tables: head against base, and head against onnxruntime-node.
 */
const CONFIDENCE = 0.99;

/**
 * @typedef {object} Trial
 * @property {Record<string, number[]>} times of each workload in each round
 * @property {Record<string, Record<string, number>>} bytes of parameters, for each build
 */
/**
 * @typedef {{ what: string, ratio: number, low: number, high: number, micros: number, verdict:
 * string, isBad: boolean }} Row
 *   A row of a report. `low` to `high` is the confidence interval of `ratio`. `micros` is a median
 *   time in µs: of the build `head` in `againstBase`, and of onnxruntime-node in `againstRival`.
 */

/**
 * Divides the time of the workload `above` by the time of `below` in each round. Returns one list
 * of ratios for each trial.
 *
 * @param {Trial[]} trials
 * @param {string} above
 * @param {string} below
 */
const ratios = (trials, above, below) =>
  trials.map(({ times }) => times[above].map((time, round) => time / times[below][round]));

/**
 * Returns the median time of one workload over all trials, in µs.
 *
 * @param {Trial[]} trials
 * @param {string} name
 */
function micros(trials, name) {
  const sorted = trials.flatMap(({ times }) => times[name]).sort((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)];
}

/**
 * Compares the build `head` with the build `base`: the time of each workload, and the bytes of its
 * parameters. A ratio above 1 means that `head` is slower or larger.
 *
 * @param {Trial[]} trials
 * @param {number} threshold
 * @returns {Row[]}
 */
export function againstBase(trials, threshold) {
  const names = Object.keys(trials[0].times)
    .filter((name) => name.startsWith('head '))
    .map((name) => name.slice('head '.length));
  const confidence = confidenceOfEach(CONFIDENCE, names.length);
  const timed = names.map((what) => {
    const interval = pairedRatio(ratios(trials, `head ${what}`, `base ${what}`), confidence);
    const verdict = verdictOf(interval, threshold);
    return { what, ...interval, micros: micros(trials, `head ${what}`), verdict, isBad: verdict === 'regressed' };
  });
  const { head, base } = trials[0].bytes;
  const sized = Object.keys(head).map((what) => {
    const ratio = head[what] / base[what];
    const verdict = verdictOf({ low: ratio, high: ratio }, threshold);
    return {
      what: `parameters of ${what}`,
      ratio,
      low: ratio,
      high: ratio,
      micros: 0,
      verdict,
      isBad: verdict === 'regressed',
    };
  });
  return [...timed, ...sized];
}

/**
 * Compares the build `head` with onnxruntime. A row is bad if the whole confidence interval of its
 * ratio is below the floor.
 *
 * @param {Trial[]} trials
 * @returns {Row[]}
 */
export function againstRival(trials) {
  const confidence = confidenceOfEach(CONFIDENCE, Object.keys(floors).length);
  return Object.entries(floors).map(([what, floor]) => {
    const interval = pairedRatio(ratios(trials, `rival ${what}`, `head ${what}`), confidence);
    const isBad = interval.high < floor;
    return {
      what,
      ...interval,
      micros: micros(trials, `rival ${what}`),
      verdict: isBad ? `below ${floor}x` : 'fine',
      isBad,
    };
  });
}

const digits = (/** @type {number} */ value) => (value >= 100 ? value.toFixed(0) : value.toPrecision(3));

/** @param {Row} row */
const line = ({ what, ratio, low, high, micros, verdict, isBad }) =>
  `| ${what} | ${micros === 0 ? '' : `${digits(micros)} µs`} | ${digits(ratio)}x (${digits(low)}-${digits(high)}) | ${isBad ? `**${verdict}**` : verdict} |`;

/**
 * Returns the report of a run as Markdown: a table of head against base (`versus`), and a table of
 * head against onnxruntime-node (`rival`). `trials` is the number of processes.
 *
 * @param {{ head: string, base: string, threshold: number, trials: number, machine: string, versus:
 * Row[], rival: Row[] }} result
 */
export function markdown({ head, base, threshold, trials, machine, versus, rival }) {
  const bad = [...versus, ...rival].filter(({ isBad }) => isBad);
  return [
    `### Benchmarks: ${bad.length === 0 ? 'no regression' : `${bad.length} workloads regressed`}`,
    '',
    `| ${head} against ${base} | head | head / base, above 1 is worse | |`,
    '|---|--:|--:|---|',
    ...versus.map(line),
    '',
    '| against onnxruntime-node | onnxruntime | times better | |',
    '|---|--:|--:|---|',
    ...rival.map(line),
    '',
    `Both builds and onnxruntime-node alternate in one process; ${trials} processes. In brackets: the confidence interval, 99 % for all rows together.`,
    `Regressed: the lower end is more than ${(threshold * 100).toFixed(0)} % above the base. ${machine}.`,
    '',
  ].join('\n');
}
