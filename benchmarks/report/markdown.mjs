import { inWords, tally } from '../lib/again.mjs';
import { machineLine } from '../lib/machine-line.mjs';
import { kindRows, learnedInWords } from '../lib/second-run.mjs';
import { figures } from './paper.mjs';
import { goalName, sectionOf } from './records.mjs';
import { number } from './svg.mjs';

/** Text of records in a cell. @param {unknown} text */
const cell = (text) => String(text).replaceAll('|', '\\|').replace(/\s+/g, ' ');

/** What the page shows, in short, for the README. @param {import('./records.mjs').Records} records @param {string} command that wrote it */
export function markdown(records, command) {
  const { comparisons, points, goals = [], machines, missing, again } = records;
  const lines = ['| figure | what | Brezel | rival | ratio | spread | paper |', '|---|---|--:|--:|--:|--:|---|'];
  for (const { id, title, paper } of figures) {
    const rows = comparisons.filter(({ figure }) => sectionOf(figure) === id);
    const theirs = paper.map(({ what, ratio }) => `${number(ratio)}x ${what}`).join('<br>');
    const name = title.split(':')[0];
    if (rows.length === 0) {
      const isMeasured = points.some(({ figure }) => sectionOf(figure) === id);
      lines.push(`| ${name} | ${isMeasured ? 'in the page' : 'not measured'} | | | | | ${cell(theirs)} |`);
    }
    rows.forEach(({ what, rival, unit, ours, theirs: other, ratio, low, high, min, max }, at) => {
      const range = low === undefined || high === undefined ? '' : ` (${number(low)}-${number(high)})`;
      const spread = min === undefined || max === undefined ? '' : `${number(min)}-${number(max)}`;
      lines.push(
        `| ${at === 0 ? name : ''} | ${cell(what)} | ${number(ours)} ${cell(unit)} | ${number(other)} ${cell(unit)} (${cell(rival)}) | ${number(ratio)}x${range} | ${spread} | ${at === 0 ? cell(theirs) : ''} |`,
      );
    });
  }
  lines.push('');
  for (const { what, why } of missing) lines.push(`Not measured: ${cell(what)} (${cell(why)}).`, '');
  if (goals.length > 0) lines.push(...goalTable(goals), '');
  if (again !== undefined) lines.push(...secondRun(again), '');
  if (machines.some(({ quick, scale = 1 }) => quick || scale < 1))
    lines.push('**A small run: the numbers mean nothing.**', '');
  lines.push(
    `\`${command}\` wrote this. Ratio: above 1, Brezel is better; in brackets the middle half of pairs. Spread: where another run's ratio is expected. The paper's ratios are to its own rivals, ML.Net and Clipper, on its own machine.`,
  );
  for (const machine of machines) lines.push(`Machine: ${cell(machineLine(/** @type {any} */ (machine)))}.`);
  return `${lines.join('\n')}\n`;
}

/** @param {import('./records.mjs').Goal[]} goals */
function goalTable(goals) {
  const rows = goals.map((one) => {
    const { target, measured, unit, met, note } = one;
    const value =
      measured === null || measured === undefined
        ? 'not measured'
        : `${typeof measured === 'number' ? number(measured) : cell(measured)} ${cell(unit)}`;
    const verdict = met === true ? 'met' : met === false ? 'not met' : '';
    return `| ${cell(goalName(one))} | ${cell(target)} | ${value} | ${verdict} | ${cell(note ?? '')} |`;
  });
  return ['| goal | target | measured | | note |', '|---|---|--:|---|---|', ...rows];
}

/** How many metrics of a second run lie within the spread that the first one states, and those that do not. @param {import('./records.mjs').Again} again */
function secondRun(again) {
  const { about, lines } = again;
  const rows = [...tally(lines)].map(
    ([bench, { within, outside, 'no spread': none, 'not run': not }]) =>
      `| ${cell(bench)} | ${within} | ${outside} | ${none} | ${not} |`,
  );
  const kinds = kindRows(again).map(({ kind, factor, points, within, outside }) => {
    const widened = factor === undefined ? 'no pair learned' : `x${number(factor)}`;
    return `| ${cell(kind)} | ${widened} | ${points ?? ''} | ${within} | ${outside} |`;
  });
  const out = lines
    .filter(({ verdict }) => verdict === 'outside')
    .map(({ what, unit, first, range, second }) => {
      const stated = range === undefined ? '' : ` (${number(range.min)}-${number(range.max)})`;
      return `- ${cell(what)}: ${number(first)}${stated}, again ${number(second ?? Number.NaN)} ${cell(unit)}`;
    });
  return [
    `A second run (commit ${cell(about.commit)}, ${cell(about.date)}): ${inWords(lines)}.`,
    '',
    '| experiment | within | outside | no spread stated | not run again |',
    '|---|--:|--:|--:|--:|',
    ...rows,
    '',
    cell(learnedInWords(again)),
    '',
    '| kind of measurement | blocks widened by | learned of points | within | outside |',
    '|---|--:|--:|--:|--:|',
    ...kinds,
    ...(out.length > 0 ? ['', 'Outside:', '', ...out] : []),
  ];
}
