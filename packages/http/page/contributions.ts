import type { Contribution, Contributions } from 'brezel';
import { html, svg, table } from './dom.js';
import { digits } from './numbers.js';

/**
 * For each link function, the name of the inverse function, which computes an answer from a score.
 */
const FUNCTIONS: Readonly<Record<string, string>> = { logit: 'a sigmoid', log: 'an exponential' };

/**
 * Shows an explanation: the score, the texts of the row with marked words, and a bar for each
 * value.
 */
export function contributionsView(row: Readonly<Record<string, unknown>>, why: Contributions): HTMLElement {
  const { output, class: element, raw, base, rest, link, contributions } = why;
  const name = element === undefined ? output : `${output}[${element}]`;
  const scale = link === 'identity' ? '' : ` The answer is computed from the score (${functionsOf(link)}).`;
  const most = Math.max(
    Number.MIN_VALUE,
    Math.abs(base),
    Math.abs(rest),
    ...contributions.map(({ value }) => Math.abs(value)),
  );
  const { element: list, body } = table('Contributions to the score', ['Value of the row', '#Adds', 'Bar']);
  const line = (text: string, value: number) =>
    body.append(
      html(
        'tr',
        {},
        html('th', { scope: 'row' }, text),
        html('td', { class: 'number' }, value < 0 ? digits(value) : `+${digits(value)}`),
        html('td', { class: 'bars' }, bar(value / most)),
      ),
    );
  for (const each of contributions) line(nameOf(each), each.value);
  if (rest !== 0) line('other values', rest);
  line('base', base);
  return html(
    'div',
    {},
    html('p', {}, `${name} has the score ${digits(raw)}. The values below add up to it.${scale}`),
    ...markedTexts(row, contributions),
    list,
  );
}

function nameOf({ input, index, feature, received }: Contribution): string {
  const place = index === undefined ? input : `${input}[${index}]`;
  return feature === undefined ? `${place} = ${digits(Number(received))}` : `${place}: "${feature}"`;
}

/**
 * Draws a bar from the middle to the left for a negative share, and to the right for a positive
 * one.
 */
function bar(share: number): SVGElement {
  const width = Math.min(1, Math.abs(share)) * 50;
  const rect = svg('rect', {
    x: `${share < 0 ? 50 - width : 50}%`,
    width: `${width}%`,
    height: 12,
    class: share < 0 ? 'negative' : 'positive',
  });
  return svg('svg', { 'aria-hidden': 'true', height: 12, width: '100%' }, rect);
}

/** Returns the texts of the row, and marks the parts that contribute to the score. */
function markedTexts(row: Readonly<Record<string, unknown>>, contributions: readonly Contribution[]): HTMLElement[] {
  return Object.entries(row).flatMap(([input, text]) => {
    const ofInput = contributions.filter((each) => each.input === input && each.at !== undefined);
    return typeof text === 'string' && ofInput.length > 0
      ? [html('p', { class: 'marked' }, ...markedParts(text, ofInput))]
      : [];
  });
}

function markedParts(text: string, contributions: readonly Contribution[]): (Node | string)[] {
  const sums = new Float64Array(text.length);
  for (const { at, places = [at!], value } of contributions)
    for (const [start, end] of places) for (let unit = start; unit < end; unit++) sums[unit]! += value / (end - start);
  const parts: (Node | string)[] = [];
  for (let from = 0, to = 0; from < text.length; from = to) {
    const sign = Math.sign(sums[from]!);
    while (to < text.length && Math.sign(sums[to]!) === sign) to++;
    const part = text.slice(from, to);
    parts.push(sign === 0 ? part : html('mark', { class: sign < 0 ? 'negative' : 'positive' }, part));
  }
  return parts;
}

/** Names the functions that compute an answer from a score: `logit` gives `a sigmoid`. */
function functionsOf(link: string): string {
  return link
    .split(', ')
    .map((name) => FUNCTIONS[name] ?? name)
    .join(', ');
}
