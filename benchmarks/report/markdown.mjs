import { machineLine } from '../harness/machine.mjs';
import { cell, number, range, scaledPair, times, words, wrapped } from './format.mjs';
import { UNKNOWN } from './goals.mjs';
import { figures } from './paper.mjs';
import { claimsTable } from './readme.mjs';
import { goalName, sectionOf } from './records.mjs';
import { kindRows, summaryText, tally, wideningText } from './second-run.mjs';

// Writes the report as Markdown: the generated part of docs/evaluation.md, and the table of
// docs/benchmarks.md.

/** @typedef {import('./records.mjs').Records} Records */
/** @typedef {import('./records.mjs').Comparison} Comparison */

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
    ...['## The claims of the paper', '', ...claimsTable(records.comparisons, second), ''],
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

/** @param {import('./paper.mjs').Figure} figure @param {Records} records */
function figureSection({ id, title, question, paper, result }, { comparisons, points, missing }) {
  const rows = comparisons.filter(({ figure }) => sectionOf(figure) === id);
  const isMeasured = rows.length > 0 || points.some(({ figure }) => sectionOf(figure) === id);
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
    ...(rows.length === 0 && isMeasured
      ? ['`npm run bench:report` writes a page with the curves of this figure.', '']
      : []),
    ...(isMeasured ? [] : ['Not measured in these records.', '']),
    ...gone.flatMap(({ what, why }) => [`Not measured: ${words(what)} (${why}).`, '']),
  ];
}

/** @param {readonly Comparison[]} rows */
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

/** @param {readonly import('./records.mjs').Goal[]} goals */
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
    'The experiment that measured a goal also measured the reason.',
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

/** Returns the part of a note that says what limits a goal. @param {string} note */
const limitIn = (note) =>
  (/limit: (.*?); [^;]*, commit /.exec(note)?.[1] ?? note).replace(/^./, (first) => first.toUpperCase());

/** @param {import('./second-run.mjs').SecondRun} again */
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
