import { machineLine } from '../harness/machine.mjs';
import { cell, number, range, scaledPair, times, words, wrapped } from './format.mjs';
import { UNKNOWN } from './goals.mjs';
import { claimsIn, figures } from './paper.mjs';
import { goalName, groupBy, sectionOf } from './records.mjs';
import { kindRows, summaryText, tally, wideningText } from './second-run.mjs';

// Writes the generated parts of documents as Markdown: the report of docs/evaluation.md, the table
// of docs/benchmarks.md, and the table of the README.

/** @typedef {import('./records.mjs').Records} Records */
/** @typedef {import('./records.mjs').Comparison} Comparison */
/** @typedef {import('./records.mjs').Fact} Fact */
/** @typedef {import('./records.mjs').Point} Point */

/**
 * Writes the generated part of docs/evaluation.md.
 *
 * @param {Records} records
 * @param {string} command that wrote the text
 * @param {readonly Comparison[]} [second] of a second run
 */
export function markdown(records, command, second = []) {
  const { machines, goals, again } = records;
  const isSmall = machines.some(({ quick, scale = 1 }) => quick || scale < 1);
  return [
    ...(isSmall ? ['**A smoke run: the numbers mean nothing.**', ''] : []),
    ...[
      '## The claims of the paper',
      '',
      ...claimsTable(records.comparisons, second),
      '',
      ...claimNotes(records.comparisons),
    ],
    ...figures.flatMap((figure) => figureSection(figure, records)),
    ...(goals === undefined ? [] : goalSection(goals)),
    ...(again === undefined ? [] : secondRunSection(again)),
    ...[
      '## Machines',
      '',
      wrapped(`\`${command}\` wrote this part of the page, with measurements of these machines:`),
      '',
    ],
    ...machines.map((machine) => wrapped(`- ${cell(machineLine(/** @type {any} */ (machine)))}`, '  ')),
    '',
  ].join('\n');
}

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

/**
 * Returns a note for each claim whose rival ran with fewer pipelines or smaller batches than
 * Brezel.
 *
 * @param {readonly Comparison[]} comparisons
 */
export function claimNotes(comparisons) {
  const notes = claimsIn(comparisons, []).flatMap(({ what, found: { natural } }) => {
    const [loaded, batch] = [loadedByRival(natural), batchOfRival(natural)];
    return [
      ...(loaded === undefined
        ? []
        : [`${what}: onnxruntime-node loaded ${loaded} pipelines; its value for the other pipelines is extrapolated.`]),
      ...(batch === undefined ? [] : [`${what}: the exported graph ran in batches of ${batch} rows.`]),
    ];
  });
  if (notes.length === 0) return [];
  const heading =
    'In some measurements, onnxruntime-node did not run the whole workload (SA: sentiment pipelines; AC: pipelines that predict the number of attendees):';
  return [wrapped(heading), '', ...notes.map((note) => wrapped(`- ${note}`, '  ')), ''];
}

/**
 * Returns how many pipelines the rival loaded; undefined if it loaded all.
 *
 * @param {Comparison} record
 */
const loadedByRival = ({ what }) => /rival, (\d+) loaded/.exec(what)?.[1];

/**
 * Returns the batch size of the rival; undefined if it equals Brezel's.
 *
 * @param {Comparison} record
 */
const batchOfRival = ({ what }) => /\(rival: (\d+)\)/.exec(what)?.[1];

/**
 * Writes the section about one figure of the paper.
 *
 * @param {import('./paper.mjs').Figure} figure
 * @param {Records} records
 */
function figureSection({ id, title, question, paper, result }, { comparisons, points, missing }) {
  const rows = comparisons.filter(({ figure }) => sectionOf(figure) === id);
  const mine = points.filter(({ figure }) => sectionOf(figure) === id);
  const isMeasured = rows.length > 0 || mine.length > 0;
  const gone = missing.filter(({ bench }) => sectionOf(bench) === id);
  const ratios = paper.map(({ what, ratio }) => `- ${times(ratio)}: ${what}`);
  const intro = 'The paper reports these ratios for PRETZEL:';
  return [
    `## ${title}`,
    '',
    wrapped(question),
    '',
    ...(ratios.length > 0 ? [intro, '', ...ratios, ''] : []),
    wrapped(result),
    '',
    ...(rows.length > 0 ? [...comparisonTable(rows), ''] : []),
    ...(rows.length === 0 ? pointTables(mine) : []),
    ...(isMeasured ? [] : ['Not measured in these records.', '']),
    ...gone.flatMap(({ what, why }) => [`Not measured: ${words(what)} (${why}).`, '']),
  ];
}

/**
 * Writes a Markdown table with one line for each comparison.
 *
 * @param {readonly Comparison[]} rows
 */
function comparisonTable(rows) {
  const lines = rows.map(({ what, rival, unit: from, ours: brezel, theirs: other, ratio, low, high, min, max }) => {
    const { ours, theirs, unit } = scaledPair(brezel, other, from);
    return `| ${cell(what)} | ${cell(rival)} | ${unit} | ${number(ours)} | ${number(theirs)} | ${times(ratio)} | ${range(low, high)} | ${range(min, max)} |`;
  });
  return [
    '| measurement | rival | unit | Brezel | rival | ratio | middle half | expected in another run |',
    '|---|---|---|--:|--:|--:|--:|--:|',
    ...lines,
  ];
}

/**
 * What a table of a figure shows. The key is the suffix of the figure's name.
 *
 * @type {Readonly<Record<string, string>>}
 */
const curveNames = {
  latency: 'the latency',
  'latency mean': 'the mean latency',
  'one plan': 'the latency of one plan',
  reservation: 'the latency of a plan with a reserved executor',
  throughput: 'the throughput',
};

/**
 * Writes one table for each curve of a figure that has no comparison. The table has a line for each
 * x and a column for each series.
 *
 * @param {readonly Point[]} points
 */
function pointTables(points) {
  return [...groupBy(points, ({ figure, unit }) => JSON.stringify([figure, unit])).values()].flatMap((curve) => {
    const [{ figure, unit, xUnit = '' }] = curve;
    const series = [...new Set(curve.map((one) => one.series))];
    const lines = [...groupBy(curve, ({ x }) => String(x))].map(([, list]) => {
      const [{ x }] = list;
      const values = series.map((name) => list.find((one) => one.series === name));
      return `| ${typeof x === 'number' ? x.toLocaleString('en-US') : cell(x)} | ${values.map(medianAndTail).join(' | ')} |`;
    });
    const what = curveNames[figure.split('-').slice(1).join(' ')] ?? 'the values of the figure';
    const tails = curve.some(({ p99 }) => p99 !== undefined) ? ' The p99 is in parentheses.' : '';
    return [
      `This table shows ${what} in ${words(unit)}.${tails}`,
      '',
      `| ${words(xUnit)} | ${series.map(cell).join(' | ')} |`,
      `|--:|${series.map(() => '--:|').join('')}`,
      ...lines,
      '',
    ];
  });
}

/** @param {Point | undefined} point */
const medianAndTail = (point) => {
  if (point === undefined) return '';
  return point.p99 === undefined ? number(point.median) : `${number(point.median)} (${number(point.p99)})`;
};

/** @param {string} text */
const capitalized = (text) => text.replace(/^./, (first) => first.toUpperCase());

/**
 * Writes the section about the goals: which are met, and why others are missed.
 *
 * @param {readonly import('./records.mjs').Goal[]} goals
 */
function goalSection(goals) {
  const verdict = (/** @type {boolean | null} */ met) => (met === null ? 'not measured' : met ? 'met' : 'not met');
  const count = (/** @type {boolean | null} */ met) => goals.filter((goal) => goal.met === met).length;
  const rows = goals.map(({ goal, part, target, measured, unit, met }) => {
    const value = typeof measured === 'number' ? `${number(measured)} ${cell(unit)}` : '';
    return `| ${goal} | ${cell(part)} | ${cell(target)} | ${value} | ${verdict(met)} |`;
  });
  const missed = goals.filter(({ met }) => met === false);
  const hasReason = (/** @type {import("./records.mjs").Goal} */ { note = '' }) => !note.includes(`limit: ${UNKNOWN};`);
  const unknown = missed.filter((goal) => !hasReason(goal)).map(goalName);
  return [
    '## Goals',
    '',
    `Of ${goals.length} parts of goals, ${count(true)} are met, ${count(false)} are not met and ${count(null)} are not measured.`,
    '',
    '| goal | part | target | measured | verdict |',
    '|---|---|--:|--:|---|',
    ...rows,
    '',
    '### What limits the missed goals',
    '',
    'The experiment that measured a goal also measured the reason why it is missed. Each item compares the measured value with the target, and then lists the parts of the measured time or memory. Some of these measurements leave out a part of the work, for example a call with an empty text.',
    '',
    ...missed
      .filter(hasReason)
      .map((goal) => wrapped(`- **${cell(goalName(goal))}**: ${words(limitIn(goal.note ?? ''))}.`, '  ')),
    ...(unknown.length === 0
      ? []
      : [wrapped(`- For these parts, no reason was recorded: ${unknown.join('; ')}.`, '  ')]),
    '',
  ];
}

/**
 * Returns the part of a note that gives the reasons for missing a goal.
 *
 * @param {string} note
 */
const limitIn = (note) => capitalized(/limit: (.*?); [^;]*, commit /.exec(note)?.[1] ?? note);

/**
 * Writes the section that compares two runs of the same build.
 *
 * @param {import('./second-run.mjs').SecondRun} again
 */
function secondRunSection(again) {
  const { about, lines } = again;
  const rows = [...tally(lines)].map(
    ([bench, { within, outside, 'no spread': none, 'not run': not }]) =>
      `| ${cell(bench)} | ${within} | ${outside} | ${none} | ${not} |`,
  );
  const kinds = kindRows(again).map(({ kind, factor, points, within, outside }) => {
    const widened = factor === undefined ? '' : number(factor);
    return `| ${cell(kind)} | ${widened} | ${points ?? ''} | ${within} | ${outside} |`;
  });
  const outside = lines
    .filter(({ verdict }) => verdict === 'outside')
    .map(({ what, unit, first, range: of, second }) => {
      const expected = of === undefined ? '' : `, expected ${range(of.min, of.max)}`;
      return `- ${words(what)}: first run ${number(first)}${expected}, second run ${number(second ?? Number.NaN)} ${words(unit)}`;
    });
  return [
    '## A second run',
    '',
    wrapped(
      `We ran the experiments a second time (commit ${about.commit}, ${about.date}). ${summaryText(lines)}. The table counts values by experiment.`,
    ),
    '',
    '| experiment | in the range | outside | no range | not run again |',
    '|---|--:|--:|--:|--:|',
    ...rows,
    '',
    wrapped(wideningText(again)),
    '',
    '| kind of measurement | ranges widened by the factor | learned from points | in the range | outside |',
    '|---|--:|--:|--:|--:|',
    ...kinds,
    '',
    ...(outside.length > 0
      ? ['These values of the second run are outside the expected range:', '', ...outside, '']
      : []),
  ];
}

/**
 * Writes the table of `npm run bench` for docs/benchmarks.md.
 *
 * @param {readonly Comparison[]} comparisons
 * @param {any} about machine
 */
export function singleTable(comparisons, about) {
  const rows = comparisons
    .filter(({ target, brief, figure }) => figure === undefined && (target !== undefined || brief === true))
    .toSorted((one, other) => Number(one.goal.slice(1)) - Number(other.goal.slice(1)))
    .map(({ goal, what, rival, unit: from, ours: brezel, theirs: other, ratio, low, high, target }) => {
      const { ours, theirs, unit } = scaledPair(brezel, other, from);
      const verdict = target === undefined ? '' : ratio >= target ? 'met' : 'not met';
      const aim = target === undefined ? '' : `≥ ${target}x`;
      return `| ${goal} | ${cell(what)} | ${cell(rival)} | ${words(unit)} | ${number(ours)} | ${number(theirs)} | ${times(ratio)} | ${range(low, high)} | ${aim} | ${verdict} |`;
    });
  return [
    '| goal | measurement | rival | unit | Brezel | rival | ratio | middle half | target | |',
    '|---|---|---|---|--:|--:|--:|--:|--:|---|',
    ...rows,
    '',
    wrapped(
      'The table compares Brezel with onnxruntime-node, with one thread each. A ratio above 1 means that Brezel is better. Both engines run alternately in one process, in short blocks of calls; a time is the median of the blocks. Memory is the growth of resident memory, measured in a new process for each engine.',
    ),
    '',
    wrapped(`Machine: ${machineLine(about)}.`),
    '',
  ].join('\n');
}

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
 * @param {{ machine: string, installMachine?: string, second?: readonly Comparison[] }} about
 */
export function summaryTable(comparisons, facts, { machine, installMachine, second = [] }) {
  /** @type {string[]} */
  const notes = [];
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
    lines.push(
      `| ${what}, ${unit} (${notes.indexOf(text) + 1}) | ${values[0]} | ${values[1]} (${times(one.ratio)}) | ${values[2]} (${times(other.ratio)}) |`,
    );
  }
  lines.push(
    '',
    wrapped(
      'The table compares Brezel with onnxruntime-node on sentiment pipelines with 1 million n-grams and texts of 100 words, with one thread each. The numbers in parentheses behind a value say how many times better Brezel is; below 1x, Brezel is worse. The exported graph is the graph that standard exporters write. The expert graph is the fastest ONNX graph that we could write by hand.',
    ),
    '',
    ...notes.map((text, index) => wrapped(`${index + 1}. ${text}`, '   ')),
    '',
    wrapped(`Times: ${machine}.${installMachine === undefined ? '' : ` Sizes: ${installMachine}.`}`),
  );
  return lines.join('\n');
}

/**
 * @param {number} value
 * @param {string} from
 * @param {string} to
 */
const inUnit = (value, from, to) => {
  if (from === to) return value;
  return from === 'MiB' ? value / 1024 : value / 1000;
};
