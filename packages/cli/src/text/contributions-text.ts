import { contributionName, explainedTexts, type SignedPart, shortNumber, signedNumber } from '@brezel/explain-svg';
import type { Contribution, Contributions, Row } from '@brezel/runtime';
import pc from 'picocolors';
import { columns, printable } from './table.js';

const colors = pc.createColors(pc.isColorSupported && process.stdout.isTTY === true);

/**
 * Formats an explanation for people: the answer, a bar and a number for each contribution, and each
 * explained text with its words in color. Words with positive contributions are green, words with
 * negative contributions red.
 */
export function contributionsText(title: string, row: Row, why: Contributions): string {
  const { output, class: one, answer, raw, base, link, rest, contributions } = why;
  const element = one === undefined ? output : `${output}[${one}]`;
  const scale = link === 'identity' ? '' : `, link ${link}`;
  const longest = contributions.reduce(
    (most, { value }) => Math.max(most, Math.abs(value)),
    Math.max(Math.abs(base), Math.abs(rest)),
  );
  const line = (name: string, value: number) => [signedNumber(value), bar(value / longest), printable(name)];
  const lines = [
    ...contributions.map((each) => line(`${contributionName(each)}${errorText(each)}`, each.value)),
    ...(rest === 0 ? [] : [line('other values', rest)]),
    line('base', base),
  ];
  const texts = textsOf(row, contributions).map((text) => `  ${text}\n`);
  const head = `${colors.bold(title)}  ${printable(element)} = ${typeof answer === 'number' ? shortNumber(answer, 7) : printable(String(answer))}, score ${shortNumber(raw)}${scale}\n`;
  return `${head}${texts.join('')}${columns(lines, ['right', 'left', 'left'])}\n\n`;
}

/** Returns the standard error of an estimated contribution as a text. */
const errorText = ({ error = 0 }: Contribution): string => (error === 0 ? '' : ` ± ${shortNumber(error)}`);

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
  return explainedTexts(row, contributions).map(({ parts }) => parts.map(colored).join(''));
}

/** Colors words: green if they increase the score, red if they decrease it. */
function colored({ text, sign }: SignedPart): string {
  const part = printable(text);
  return sign === 0 ? part : (sign < 0 ? colors.red : colors.green)(part);
}
