import { machineLine } from '../harness/machine.mjs';
import { cell, inUnit, number, range, scaledPair, times, words, wrapped } from './format.mjs';
import { UNKNOWN } from './goals.mjs';
import { claimsIn, figures } from './paper.mjs';
import { batchOfRival, goalName, groupBy, loadedByRival, sectionOf } from './records.mjs';
import { kindRows, summaryText, tally, wideningText } from './second-run.mjs';

// Writes the report of docs/evaluation.md and the table of docs/benchmarks.md.

/** @typedef {import('./records.mjs').Records} Records */
/** @typedef {import('./records.mjs').Comparison} Comparison */
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
    ...new Set(machines.map((machine) => wrapped(`- ${cell(machineLine(/** @type {any} */ (machine)))}`, '  '))),
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
    ...(isMeasured ? [] : ['These records contain no measurement of this section.', '']),
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
  latency: 'the median latency of single rows',
  'latency mean': 'the mean latency of single rows',
  'one plan': 'the median latency of the plan that has the reserved executor in the last column',
  reservation: 'the median latency of a plan with a reserved executor',
  throughput: 'the throughput',
  calls: 'the time of a call, divided by its rows',
  start: 'the time until a model of the catalog answers',
  bytes: 'what a client sends for a further model of a family',
  memory: 'the memory that the models take on all servers together',
  failures: 'the requests of single rows and the rows of a batch, while events happen',
  tails: 'the p99 of requests that 8 callers send, while events happen',
  moves: 'the models that are placed on another server',
  canary: 'the share of the answers that come from the canary',
  faults: 'the faults of the two lines with chaos above',
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
    const tails = curve.some(hasTail) ? ' The p99 is in parentheses.' : '';
    return [
      wrapped(`This table shows ${what}, in ${words(unit)}.${tails}`),
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
  return hasTail(point) ? `${number(point.median)} (${number(point.p99)})` : number(point.median);
};

/**
 * Whether a point has a p99 of several samples.
 *
 * @param {Point} point
 */
const hasTail = ({ p99, samples }) => p99 !== undefined && samples !== 1;

/** @param {string} text */
const capitalized = (text) => text.replace(/^./, (first) => first.toUpperCase());

/**
 * Returns the runs that measured the goals, with the names of the goals of each run.
 *
 * @param {readonly import('./records.mjs').Goal[]} goals
 * @returns {[run: string, goals: Set<string>][]}
 */
function runsOf(goals) {
  /** @type {Map<string, Set<string>>} */
  const runs = new Map();
  for (const { goal, measured, note = '' } of goals) {
    if (measured === null) continue;
    const run = note.slice(note.lastIndexOf('; ') + 2); // the machine, the commit and the date
    runs.set(run, (runs.get(run) ?? new Set()).add(goal));
  }
  return [...runs];
}

/**
 * Writes the section about the goals: which are met, and why others are missed.
 *
 * @param {readonly import('./records.mjs').Goal[]} goals
 */
function goalSection(goals) {
  const verdict = (/** @type {boolean | null} */ met) => (met === null ? 'not measured' : met ? 'met' : 'not met');
  const count = (/** @type {boolean | null} */ met) => goals.filter((goal) => goal.met === met).length;
  const rows = goals.map(({ goal, part, target, measured, unit, met }) => {
    const shown = (/** @type {number} */ value) => (unit === 'x' ? times(value) : `${number(value)} ${cell(unit)}`);
    const value = typeof measured === 'number' ? shown(measured) : '';
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
    'The values are from several runs. In the names of parts, "natural" means the exported graph, and "expert" means the expert graph. For each part, the table shows the most recent run that measured this part:',
    '',
    ...runsOf(goals).map(([run, names]) => wrapped(`- ${cell(run)}: ${[...names].join(', ')}`, '  ')),
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
    '| kind of measurement | factor by which ranges are widened | points from which the factor was computed | in the range | outside |',
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
      'The table compares Brezel with onnxruntime-node, with one thread each. The exported graph is the graph that standard exporters write. The expert graph is the fastest ONNX graph that we could write by hand. A ratio above 1 means that Brezel is better. Both engines run alternately in one process, in short blocks of calls; a time is the median of the blocks.',
    ),
    '',
    wrapped(
      'Each pair of neighboring blocks gives one ratio. If the column "middle half" has a value, the table shows the median of these ratios, which may differ from the ratio of the two times. The middle half is the range from the first to the third quartile of these ratios. Memory is the growth of resident memory, measured in a new process for each engine.',
    ),
    '',
    wrapped(`Machine: ${machineLine(about)}.`),
    '',
  ].join('\n');
}
