import { sizeOf } from '@brezel/core';
import type { Contribution, ContributionOptions, Contributions, RegisteredPlan, Row } from '@brezel/runtime';
import { cliError } from './errors.js';
import { printable } from './text/table.js';

/** The flags that choose what an explanation is about. */
export interface ExplanationFlags {
  readonly of?: string;
  readonly class?: string;
}

export const ofFlag = ['--of <output>', 'the output to explain'] as const;
export const classFlag = [
  '--class <class>',
  'the class to explain: the index of an element, or the key of a map',
] as const;

/** The number of contributions that commands list without a flag. */
export const DEFAULT_TOP = 10;

/** Returns the options of an explanation. */
export const explanationOptions = (
  plan: RegisteredPlan,
  flags: ExplanationFlags,
  top: number | undefined,
  background?: readonly Row[],
): ContributionOptions => ({ output: flags.of, class: classOf(plan, flags), top, background });

/**
 * Returns the class of the flag `--class` as the plan names it: a text if it is a key of a map
 * output, or if it does not consist of digits; otherwise a number. Returns undefined without the
 * flag.
 */
function classOf({ outputs }: RegisteredPlan, { of, class: one }: ExplanationFlags): number | string | undefined {
  if (one === undefined) return undefined;
  const keys = outputs.flatMap(({ name, type }) => (type.kind === 'map' && (of ?? name) === name ? type.keys : []));
  return keys.includes(one) || !/^\d+$/.test(one) ? one : Number(one);
}

/**
 * Returns a count from the command line.
 * @throws ERR_CLI_USAGE
 */
export function countOf(text: string, at: string): number {
  if (/^\d{1,15}$/.test(text)) return Number(text);
  throw cliError('ERR_CLI_USAGE', { expected: 'a whole number', received: text, at });
}

/** Encodes an explanation as JSON. Numbers that JSON cannot represent are texts such as "NaN". */
export const explanationJson = (why: object): string => JSON.stringify(why, asText);

const asText = (_: string, value: unknown) =>
  typeof value === 'number' && !Number.isFinite(value) ? `${value}` : typeof value === 'bigint' ? `${value}` : value;

const FIXED = ['line', 'output', 'class', 'answer', 'raw', 'base', 'rest'];

/** Writes explanations as CSV: one line for each row, and one column for each value of the row. */
export interface ContributionTable {
  readonly header: string;
  line(number: number, why: Contributions): string;
}

/**
 * Returns the writer of a table for a plan. A number has its own column, and all words of a text
 * have one column together. In each line, `base`, `rest` and the columns of values add up to `raw`.
 * `rest` holds contributions without a value, such as the absence of a word in a list of texts. All
 * columns have different names. A text that a spreadsheet would run as a formula starts with an
 * apostrophe.
 */
export function contributionTable({ inputs }: RegisteredPlan): ContributionTable {
  const columns = inputs.flatMap(({ name, type }): readonly (readonly [input: string, index?: number])[] => {
    const size = type.kind === 'vector' ? sizeOf(type) : undefined;
    return size === undefined ? [[name]] : Array.from({ length: size }, (_, index) => [name, index]);
  });
  const places = new Map(columns.map((column, at) => [JSON.stringify(column), at]));
  const placeOf = ({ input, index }: Contribution) =>
    places.get(JSON.stringify([input, index])) ?? places.get(JSON.stringify([input]));
  return {
    header: csvLine([...FIXED, ...columnNames(columns)]),
    line(number, { output, class: one = '', answer, raw, base, rest, contributions }) {
      const sums = new Float64Array(columns.length);
      let without = rest;
      for (const each of contributions) {
        const place = placeOf(each);
        if (place === undefined) without += each.value;
        else sums[place]! += each.value;
      }
      return csvLine([number, output, one, answer, raw, base, without, ...sums]);
    },
  };
}

/**
 * Returns a unique name for each column. An input may have the same name as another column, such as
 * `answer`.
 */
function columnNames(columns: readonly (readonly [input: string, index?: number])[]): string[] {
  const used = new Set(FIXED);
  const repeated = new Map<string, number>();
  return columns.map(([input, index]) => {
    const name = safeText(index === undefined ? input : `${input}[${index}]`);
    let free = name;
    let count = repeated.get(name) ?? 0;
    for (; used.has(free); count++) free = count === 0 ? `${name} (input)` : `${name} (input ${count + 1})`;
    repeated.set(name, count);
    used.add(free);
    return free;
  });
}

const csvLine = (fields: readonly unknown[]) => `${fields.map(csvField).join(',')}\n`;

/** Formats a field, and quotes it as RFC 4180 requires. */
function csvField(field: unknown): string {
  const content = typeof field === 'string' ? safeText(field) : Object.is(field, -0) ? '0' : `${field}`;
  return /[",\r\n]/.test(content) ? `"${content.replaceAll('"', '""')}"` : content;
}

/**
 * Replaces control characters in a text, and puts an apostrophe before a text that a spreadsheet
 * would run as a formula.
 */
const safeText = (text: string) => printable(text).replace(/^[=+\-@\uff1d\uff0b\uff0d\uff20]/, "'$&");
