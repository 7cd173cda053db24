import type { Contribution, Contributions, Row } from '@brezel/runtime';
import pc from 'picocolors';
import { columns, printable } from './table.js';

const colors = pc.createColors(pc.isColorSupported && process.stdout.isTTY === true);

/**
 * Formats an explanation for people: the answer, a bar and a number for each contribution, and each
 * explained text with its words in color (green for positive contributions, red for negative ones).
 */
export function contributionsText(title: string, row: Row, why: Contributions): string {
  const { output, class: one, answer, raw, base, link, rest, contributions } = why;
  const element = one === undefined ? output : `${output}[${one}]`;
  const scale = link === 'identity' ? '' : `, link ${link}`;
  const longest = contributions.reduce(
    (most, { value }) => Math.max(most, Math.abs(value)),
    Math.max(Math.abs(base), Math.abs(rest)),
  );
  const line = (name: string, value: number) => [signed(value), bar(value / longest), printable(name)];
  const lines = [
    ...contributions.map((each) => line(nameOf(each), each.value)),
    ...(rest === 0 ? [] : [line('other values', rest)]),
    line('base', base),
  ];
  const texts = textsOf(row, contributions).map((text) => `  ${text}\n`);
  const head = `${colors.bold(title)}  ${printable(element)} = ${typeof answer === 'number' ? number(answer, 7) : answer}, score ${number(raw)}${scale}\n`;
  return `${head}${texts.join('')}${columns(lines, ['right', 'left', 'left'])}\n\n`;
}

function nameOf({ input, index, feature, received, places }: Contribution): string {
  const place = index === undefined ? input : `${input}[${index}]`;
  if (feature === undefined) return `${place} = ${number(received!, 7)}`;
  return `${place}: ${JSON.stringify(feature)}${places === undefined ? '' : ` (${places.length} times)`}`;
}

const number = (value: number, digits = 4) => `${Number(value.toPrecision(digits))}`;
const signed = (value: number) => (value < 0 ? number(value) : `+${number(value)}`);

const BAR_CELLS = 16;

/**
 * Draws a number from -1 to 1 as a bar. The bar is green for positive and red for negative numbers.
 */
function bar(part: number): string {
  const cells = Number.isFinite(part) ? Math.round(Math.abs(part) * BAR_CELLS) : 0;
  return (part < 0 ? colors.red : colors.green)('\u2588'.repeat(cells).padEnd(BAR_CELLS));
}

/**
 * Returns the texts of a row, with their contributing words in color. Returns an empty list if the
 * terminal shows no colors.
 */
function textsOf(row: Row, contributions: readonly Contribution[]): string[] {
  if (!colors.isColorSupported) return [];
  const inputs = new Set(contributions.flatMap(({ input, at, index }) => (at && index === undefined ? [input] : [])));
  return [...inputs].flatMap((input) => {
    const text = typeof row === 'string' ? row : (row as Readonly<Record<string, unknown>>)[input];
    return typeof text === 'string'
      ? [
          colored(
            text,
            contributions.filter((each) => each.input === input),
          ),
        ]
      : [];
  });
}

/**
 * Colors each character of a text: green if the contributions of the n-grams around it have a
 * positive sum, red if the sum is negative.
 */
function colored(text: string, contributions: readonly Contribution[]): string {
  const sums = new Float64Array(text.length);
  for (const { at, places = at === undefined ? [] : [at], value } of contributions)
    for (const [start, end] of places) for (let unit = start; unit < end; unit++) sums[unit]! += value / (end - start);
  let out = '';
  for (let from = 0, to = 0; from < text.length; from = to) {
    const sign = Math.sign(sums[from]!);
    while (to < text.length && Math.sign(sums[to]!) === sign) to++;
    const part = printable(text.slice(from, to));
    out += sign === 0 ? part : (sign < 0 ? colors.red : colors.green)(part);
  }
  return out;
}
