import { readFileSync } from 'node:fs';
import { machineLine } from '../harness/machine.mjs';
import { chartsOf, ratioChart } from './charts.mjs';
import { number, range, words } from './format.mjs';
import { CITATION, figures } from './paper.mjs';
import { goalName, sectionOf } from './records.mjs';
import { kindRows, summaryText, tally, wideningText } from './second-run.mjs';
import { plain } from './svg.mjs';

// Writes the report as one HTML page without external scripts, fonts or pictures.

/** @typedef {import('./records.mjs').Records} Records */
/** @typedef {import('./records.mjs').Comparison} Comparison */

const style = readFileSync(new URL('style.css', import.meta.url), 'utf8');

/** @param {Records} records */
export function page(records) {
  const known = new Set(figures.map(({ id }) => id));
  const others = [...new Set(records.points.map(({ figure }) => sectionOf(figure)))].filter((id) => !known.has(id));
  const sections = [
    ...figures,
    ...others.map((id) => ({ id, title: id, question: '', section: '', paper: [], result: '' })),
  ];
  const links = sections.map(({ id, title }) => `<a href="#${plain(id)}">${plain(title)}</a>`).join('');
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Brezel: benchmarks</title>
<style>
${style}</style>
</head>
<body>
<h1>Brezel: benchmarks</h1>
<p>The evaluation of the PRETZEL paper, repeated: Brezel compared with onnxruntime-node and plain JavaScript on one machine.</p>
${records.machines.map((one) => `<p class="soft">${plain(machineLine(/** @type {any} */ (one)))}</p>`).join('\n')}
${banner(records)}
<nav><a href="#goals">Goals</a>${links}</nav>
<p class="soft">Bars are medians. A thin line is the range from minimum to maximum, for ratios the middle half. A dot is the 99th percentile. Dashed bars are the paper's.</p>
${goalsHtml(records.goals)}
${sections.map((section) => sectionHtml(section, records)).join('\n')}
${singleRows(records)}
${againHtml(records.again)}
<h2>The paper</h2>
<p class="soft">${plain(CITATION)} Its numbers are from section 5, measured on 16 cores with 32 GB against ML.Net 0.4 and Clipper 0.2; only ratios can be compared with Brezel's.</p>
</body>
</html>
`;
}

/** @param {Records} records */
function banner({ machines }) {
  const scales = machines.filter(({ quick, scale = 1 }) => quick || scale < 1);
  if (machines.length === 0) return '<p class="banner">The records have no machine.</p>';
  if (scales.length === 0) return '';
  const of = scales.map(({ scale = 1 }) => scale).join(', ');
  return `<p class="banner">A smoke run (scale ${plain(of)}): the numbers mean nothing.</p>`;
}

/** @param {import('./paper.mjs').Figure} figure @param {Records} records */
function sectionHtml({ id, title, question, section, paper, result }, { points, comparisons, notes, missing }) {
  const mine = points.filter(({ figure }) => sectionOf(figure) === id);
  const against = comparisons.filter(({ figure }) => sectionOf(figure) === id);
  const isHere = (/** @type {{ bench?: string }} */ { bench }) => sectionOf(bench) === id;
  const gone = missing.filter(isHere).map(({ what, why }) => `${what}: not measured (${why}).`);
  if (mine.length + against.length === 0 && gone.length === 0) gone.push('Not measured in these records.');
  const said = notes.filter(isHere).map(({ text }) => `<li>${plain(text)}</li>`);
  const charts = [...ratioChart(against, paper), ...chartsOf(mine)];
  const source = section === '' ? '' : `Paper, section ${section}: `;
  return [
    `<section id="${plain(id)}"><h2>${plain(title)}</h2>`,
    question === '' ? '' : `<p>${plain(question)}</p>`,
    ...gone.map((line) => `<p class="banner">${plain(line)}</p>`),
    charts.length === 0 ? '' : `<div class="charts">${charts.join('\n')}</div>`,
    result === '' ? '' : `<p class="soft">${plain(`${source}${result}`)}</p>`,
    said.length === 0 ? '' : `<details><summary>How it was measured</summary><ul>${said.join('')}</ul></details>`,
    '</section>',
  ].join('\n');
}

/** Returns rows for comparisons without a figure, from `npm run bench`. @param {Records} records */
function singleRows({ comparisons }) {
  const rows = comparisons.filter(({ figure }) => figure === undefined);
  if (rows.length === 0) return '';
  const cells = rows.map(({ goal, what, rival, unit, ours, theirs, ratio, low, high, target }) => {
    const half = low === undefined ? '' : ` (${range(low, high)})`;
    const aim = target === undefined ? '' : `≥ ${number(target)}x`;
    return [
      words(what),
      `${number(ours)} ${unit}`,
      `${number(theirs)} ${unit} (${rival})`,
      `${number(ratio)}x${half}`,
      aim,
      target === undefined ? goal : verdict(ratio >= target, goal),
    ];
  });
  const head = ['what', '#Brezel', '#rival', '#ratio', '#target', 'goal'];
  return `<section><h2>Single pipelines</h2>${table(head, cells)}</section>`;
}

const KIND_HEAD = ['kind of measurement', '#ranges widened by', '#learned from points', '#in the range', '#outside'];

/**
 * Compares a second run with the ranges of the first run.
 *
 * @param {import('./second-run.mjs').SecondRun | undefined} again
 */
function againHtml(again) {
  if (again === undefined) return '';
  const { about, lines } = again;
  const kinds = kindRows(again).map(({ kind, factor, points, within, outside }) => [
    kind,
    factor === undefined ? 'nothing learned' : `x${number(factor)}`,
    String(points ?? ''),
    String(within),
    String(outside),
  ]);
  const rows = [...tally(lines)].map(([bench, count]) =>
    [bench, count.within, count.outside, count['no spread'], count['not run']].map(String),
  );
  const out = lines
    .filter(({ verdict }) => verdict === 'outside')
    .map(({ what, unit, first, range: of, second }) => [
      words(what),
      `${number(first)} ${unit}`,
      of === undefined ? '' : range(of.min, of.max),
      number(second ?? Number.NaN),
    ]);
  const head = ['experiment', '#in the range', '#outside', '#no range', '#not run again'];
  const outside =
    out.length === 0 ? '' : `<p>Outside:</p>${table(['metric', '#first run', '#expected', '#second run'], out)}`;
  return `<section id="again"><h2>A second run</h2><p>Commit ${plain(about.commit)}, ${plain(about.date)}: ${plain(summaryText(lines))}.</p>${table(head, rows)}<p>${plain(wideningText(again))}</p>${table(KIND_HEAD, kinds)}${outside}</section>`;
}

/** @param {import('./records.mjs').Goal[] | undefined} goals */
function goalsHtml(goals) {
  if (goals === undefined || goals.length === 0)
    return '<section id="goals"><h2>Goals</h2><p class="banner">No goals file; npm run bench:goals writes it.</p></section>';
  const rows = goals.map((one) => {
    const { target, measured, unit, met, command, note } = one;
    const value =
      measured === null || measured === undefined
        ? 'not measured'
        : `${typeof measured === 'number' ? number(measured) : measured} ${unit}`;
    return [goalName(one), String(target), value, verdict(met), note ?? '', command ?? ''];
  });
  const met = goals.filter((one) => one.met === true).length;
  const unknown = goals.filter((one) => one.met === null || one.met === undefined).length;
  const summary = `${met} of ${goals.length} are met${unknown > 0 ? `, ${unknown} not measured` : ''}.`;
  return `<section id="goals"><h2>Goals</h2><p>${summary}</p>${table(['goal', '#target', '#measured', 'verdict', 'note', 'command'], rows)}</section>`;
}

/** @param {boolean | null | undefined} met @param {string} [what] */
const verdict = (met, what = '') =>
  met === null || met === undefined ? '' : `${met ? '✓' : '✗'} ${what === '' ? (met ? 'met' : 'not met') : what}`;

/**
 * Writes a table. A heading that starts with # marks a column of numbers.
 *
 * @param {string[]} head
 * @param {string[][]} rows
 */
function table(head, rows) {
  const names = head.map((name) => name.replace('#', ''));
  const kind = (/** @type {number} */ index, /** @type {string} */ text) => {
    if (text.startsWith('✓')) return ' class="met"';
    if (text.startsWith('✗')) return ' class="unmet"';
    return head[index].startsWith('#') ? ' class="number"' : '';
  };
  const headings = names.map((name, index) => `<th${kind(index, '')}>${plain(name)}</th>`).join('');
  const body = rows.map(
    (row) =>
      `<tr>${row.map((text, index) => `<td${kind(index, text)} data-label="${plain(names[index])}">${plain(text)}</td>`).join('')}</tr>`,
  );
  return `<table><thead><tr>${headings}</tr></thead><tbody>${body.join('\n')}</tbody></table>`;
}
