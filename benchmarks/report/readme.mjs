import { claimsIn } from './claims.mjs';
import { number, scaledPair, times, wrapped } from './format.mjs';

// Writes the figures of the README: installation and one pipeline compared with onnxruntime-node,
// and the claims of the paper.

/** @typedef {import('./records.mjs').Comparison} Comparison */
/** @typedef {import('./records.mjs').Fact} Fact */

/**
 * Rows of the first table. Each row selects a record of both graphs by goal and by text or part.
 *
 * @type {readonly { what: string, goal: string, natural: Partial<Comparison>, expert:
 * Partial<Comparison> }[]}
 */
const rows = [
  row('one text, 1M n-grams', 'G1', 'G2', {
    what: 'SA single, 1M dictionary, texts of 100 words, answer object',
  }),
  row('memory of 250 such pipelines', 'G8', 'G8', {}, 'sa'),
  row('load of a further pipeline from a fleet file', 'G9', 'G9', { what: 'load a further model of it, SA 1M' }),
  row('batches of 1000', 'G3', 'G3', {}, 'batch'),
];

/**
 * @param {string} what
 * @param {string} natural goal
 * @param {string} expert goal
 * @param {Partial<Comparison>} record
 * @param {string} [part]
 */
function row(what, natural, expert, record, part) {
  const of = (/** @type {string} */ goal, /** @type {string} */ graph) =>
    part === undefined ? { goal, rival: `${graph} graph`, ...record } : { goal, part: `${part} ${graph}` };
  return { what, goal: natural, natural: of(natural, 'natural'), expert: of(expert, 'expert') };
}

/** @param {readonly Comparison[]} comparisons @param {Partial<Comparison>} wanted */
const find = (comparisons, wanted) =>
  comparisons.findLast((one) =>
    Object.entries(wanted).every(([field, value]) => one[/** @type {'what'} */ (field)] === value),
  );

/**
 * Writes the table of installation and speed.
 *
 * @param {readonly Comparison[]} comparisons @param {readonly Fact[]} facts
 * @param {{ machine: string, installMachine?: string }} about
 */
export function summaryTable(comparisons, facts, { machine, installMachine }) {
  const lines = [
    '| | Brezel | onnxruntime-node, exported graph | onnxruntime-node, expert graph |',
    '|---|--:|--:|--:|',
    ...facts.map(({ what, ours, theirs }) => `| ${what} | ${ours} | ${theirs} | ${theirs} |`),
  ];
  for (const { what, natural, expert } of rows) {
    const [one, other] = [find(comparisons, natural), find(comparisons, expert)];
    if (one === undefined || other === undefined) continue;
    const { unit } = scaledPair(one.ours, one.theirs, one.unit);
    const values = [one.ours, one.theirs, other.theirs].map((value) => number(inUnit(value, one.unit, unit)));
    lines.push(
      `| ${what}, ${unit} | ${values[0]} | ${values[1]} (${times(one.ratio)}) | ${values[2]} (${times(other.ratio)}) |`,
    );
  }
  lines.push(
    '',
    wrapped(
      'The table compares Brezel with onnxruntime-node on sentiment pipelines with 1 million n-grams and texts of 100 words, with one thread each. The numbers in parentheses say how many times better Brezel is. The exported graph is the graph that standard exporters write. The expert graph is the fastest ONNX graph that we could write by hand.',
    ),
    '',
    wrapped(`Times: ${machine}.${installMachine === undefined ? '' : ` Sizes: ${installMachine}.`}`),
  );
  return lines.join('\n');
}

/** @param {number} value @param {string} from @param {string} to */
const inUnit = (value, from, to) => {
  if (from === to) return value;
  return from === 'MiB' ? value / 1024 : value / 1000;
};

/**
 * Writes the chart and its caption.
 *
 * @param {{ machine: string, picture: string }} about
 */
export const chartPart = ({ machine, picture }) =>
  [
    `<img src="${picture}" width="640" alt="Bars: how many times better Brezel is than onnxruntime-node, and PRETZEL than its rivals, for each claim of the paper">`,
    '',
    wrapped(
      `The chart repeats the claims of the PRETZEL paper with 250 sentiment (SA) and 250 attendee-count (AC) pipelines in one process. A bar of Brezel is its ratio to onnxruntime-node on one machine. A bar of PRETZEL is its ratio to ML.Net or Clipper, as the paper reports it. [The evaluation](docs/evaluation.md) has all figures and a second run. Machine: ${machine}.`,
    ),
  ].join('\n');

/**
 * Writes the claims as a table for docs/evaluation.md.
 *
 * @param {readonly Comparison[]} comparisons
 * @param {readonly Comparison[]} second of a second run
 */
export function claimsTable(comparisons, second) {
  const lines = [
    '| claim | unit | Brezel | exported graph | ratio | second run | expert graph | ratio | second run | PRETZEL |',
    '|---|---|--:|--:|--:|--:|--:|--:|--:|---|',
  ];
  for (const { what, rivals, found, second: again, paper } of claimsIn(comparisons, second)) {
    const { natural, expert } = found;
    const { unit } = scaledPair(natural.ours, natural.theirs, natural.unit);
    const scaled = (/** @type {number | undefined} */ value) =>
      value === undefined ? '' : number(inUnit(value, natural.unit, unit));
    const ratio = (/** @type {number | undefined} */ value) => (value === undefined ? '' : times(value));
    const name = rivals === undefined ? what : `${what} (rival: Brezel, ${rivals})`;
    lines.push(
      `| ${name} | ${unit} | ${scaled(natural.ours)} | ${scaled(natural.theirs)} | ${ratio(natural.ratio)} | ${ratio(again.natural)} | ${scaled(expert?.theirs)} | ${ratio(expert?.ratio)} | ${ratio(again.expert)} | ${paper.text} |`,
    );
  }
  return lines;
}
