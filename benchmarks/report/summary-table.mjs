import { inUnit, number, scaledPair, times, wrapped } from './format.mjs';
import { batchOfRival, loadedByRival } from './records.mjs';

// Writes the table of installation and speed for the README.

/** @typedef {import('./records.mjs').Comparison} Comparison */
/** @typedef {import('./records.mjs').Fact} Fact */

/**
 * A row of the summary table in the README. `natural` and `expert` select the records of the two
 * graphs. `note` writes a footnote from the record of the exported graph and from the ratios of a
 * second run.
 *
 * @typedef {object} SummaryRow
 * @property {string} what
 * @property {Partial<Comparison>} natural
 * @property {Partial<Comparison>} expert
 * @property {(record: Comparison, again: { natural?: number, expert?: number }) => string} note
 */

const FLEET_AND_ONNX = 'Brezel reads a compiled pipeline from a fleet file; onnxruntime-node loads an ONNX file.';
const BOTH_ONNX =
  'Brezel imports and compiles the exported file. Its first import also builds the dictionaries, which further pipelines share.';

/** @type {readonly SummaryRow[]} */
const rows = [
  {
    what: 'one text, 1M n-grams',
    ...single(['G1', 'G2'], 'SA single, 1M dictionary, texts of 100 words, answer object'),
    note: () => 'All calls use one pipeline, so the processor caches a part of its parameters.',
  },
  {
    what: 'one text, 16 such pipelines alternate',
    ...parts(['G1', 'G2'], 'fleet sa natural hot', 'fleet sa expert hot'),
    note: () => 'Each call uses another pipeline than the previous call, so parameters are read from memory.',
  },
  {
    what: 'first text of such a pipeline',
    ...parts(['G10', 'G10'], 'fleet sa natural cold', 'fleet sa expert cold'),
    note: (_, again) =>
      `The first text reads its parameters from the file.${secondRatios(again)} To read the parameters before the first text, call \`runtime.warm(plan)\`.`,
  },
  {
    what: 'memory of 250 such pipelines',
    ...parts(['G8', 'G8'], 'sa natural', 'sa expert'),
    note: (record) => {
      const loaded = loadedByRival(record);
      return loaded === undefined
        ? 'Both engines loaded all pipelines.'
        : `onnxruntime-node loaded ${loaded} pipelines; its memory for the other ${250 - Number(loaded)} is extrapolated.`;
    },
  },
  {
    what: 'load of a further pipeline from a fleet file',
    ...single(['G9', 'G9'], 'load a further model of it, SA 1M'),
    note: () => FLEET_AND_ONNX,
  },
  {
    what: 'import of the first ONNX file',
    ...single(['G9', 'G9'], 'load from ONNX, SA 1M dictionary: first model'),
    note: () => BOTH_ONNX,
  },
  {
    what: 'import of a further ONNX file',
    ...single(['G9', 'G9'], 'load from ONNX, SA 1M dictionary: each further model'),
    note: () => BOTH_ONNX,
  },
  {
    what: 'batches of 1000',
    ...parts(['G3', 'G3'], 'batch natural', 'batch expert'),
    note: (record, again) => {
      const size = batchOfRival(record);
      return `${size === undefined ? '' : `The exported graph ran in batches of ${size} rows.`}${secondRatios(again)}`.trim();
    },
  },
];

/**
 * Returns the patterns that select the records of both graphs by their text `what`.
 *
 * @param {[natural: string, expert: string]} goals
 * @param {string} what
 */
function single([natural, expert], what) {
  return {
    natural: { goal: natural, what, rival: 'natural graph' },
    expert: { goal: expert, what, rival: 'expert graph' },
  };
}

/**
 * Returns the patterns that select the records of both graphs by the part of a goal.
 *
 * @param {[natural: string, expert: string]} goals
 * @param {string} natural
 * @param {string} expert
 */
function parts(goals, natural, expert) {
  return { natural: { goal: goals[0], part: natural }, expert: { goal: goals[1], part: expert } };
}

/** @param {{ natural?: number, expert?: number }} again */
const secondRatios = ({ natural, expert }) =>
  natural === undefined || expert === undefined
    ? ''
    : ` In a second run, the ratios were ${times(natural)} and ${times(expert)}.`;

/**
 * @param {readonly Comparison[]} comparisons
 * @param {Partial<Comparison>} wanted
 */
const find = (comparisons, wanted) =>
  comparisons.findLast((one) =>
    Object.entries(wanted).every(([field, value]) => one[/** @type {'what'} */ (field)] === value),
  );

/**
 * Writes the README's table of installation and speed. Rows with equal notes share a footnote.
 *
 * @param {readonly Comparison[]} comparisons
 * @param {readonly Fact[]} facts
 * @param {readonly Comparison[]} [second] the comparisons of a second run
 */
export function summaryTable(comparisons, facts, second = []) {
  /** @type {string[]} */
  const notes = [];
  /** @type {Map<string, Set<string>>} */
  const runs = new Map(); // the footnotes of the rows that each run measured
  const lines = [
    '| | Brezel | onnxruntime-node, exported graph | onnxruntime-node, expert graph |',
    '|---|--:|--:|--:|',
    ...facts.map(({ what, ours, theirs }) => `| ${what} | ${ours} | ${theirs} | ${theirs} |`),
  ];
  for (const { what, natural, expert, note } of rows) {
    const [one, other] = [find(comparisons, natural), find(comparisons, expert)];
    if (one === undefined || other === undefined) continue;
    const { unit } = scaledPair(one.ours, one.theirs, one.unit);
    const values = [one.ours, one.theirs, other.theirs].map((value) => number(inUnit(value, one.unit, unit)));
    const text = note(one, { natural: find(second, natural)?.ratio, expert: find(second, expert)?.ratio });
    if (!notes.includes(text)) notes.push(text);
    const mark = `(${notes.indexOf(text) + 1})`;
    for (const { run } of [one, other]) if (run !== undefined) runs.set(run, (runs.get(run) ?? new Set()).add(mark));
    lines.push(
      `| ${what}, ${unit} ${mark} | ${values[0]} | ${values[1]} (${times(one.ratio)}) | ${values[2]} (${times(other.ratio)}) |`,
    );
  }
  lines.push(
    '',
    wrapped(
      'The table compares Brezel with onnxruntime-node on sentiment pipelines with 1 million n-grams and texts of 100 words, with one thread each. The numbers in parentheses behind a value say how many times better Brezel is; below 1x, Brezel is worse. Some of these ratios are medians over neighboring blocks of calls, so they may differ from the ratio of the two values. The exported graph is the graph that standard exporters write. The expert graph is the fastest ONNX graph that we could write by hand.',
    ),
    '',
    ...notes.map((text, index) => wrapped(`${index + 1}. ${text}`, '   ')),
    '',
    ...machineLines(runs, facts[0]?.run),
  );
  return lines.join('\n');
}

/**
 * Returns one line for each run: the rows that the run measured, and its machine.
 *
 * @param {ReadonlyMap<string, ReadonlySet<string>>} runs
 * @param {string | undefined} ofSizes the machine that measured the installed sizes
 */
function machineLines(runs, ofSizes) {
  const isOne = runs.size === 1;
  const times = [...runs].map(([run, marks]) => `- ${isOne ? 'times' : `rows ${listOf([...marks])}`}: ${run}`);
  const sizes = ofSizes === undefined ? [] : [`- installed sizes: ${ofSizes}`];
  return ['Machines:', '', ...[...times, ...sizes].map((line) => wrapped(line, '  '))];
}

/** @param {readonly string[]} words */
const listOf = (words) =>
  words.length === 1 ? words[0] : `${words.slice(0, -1).join(', ')} and ${words[words.length - 1]}`;
