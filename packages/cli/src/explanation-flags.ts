import { sizeOf } from '@brezel/core';
import type { Contribution, ContributionOptions, Contributions, RegisteredPlan } from '@brezel/runtime';
import { cliError } from './errors.js';

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
): ContributionOptions => ({ output: flags.of, class: classOf(plan, flags), top });

/**
 * Returns the class from the flag `--class` as the plan names it: a text if it is a key of a map
 * output, otherwise a number if it consists of digits.
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
 * `rest` holds contributions without a value, such as the absence of a word in a list of texts.
 */
export function contributionTable({ inputs }: RegisteredPlan): ContributionTable {
  const columns = inputs.flatMap(({ name, type }) => {
    const size = type.kind === 'vector' ? sizeOf(type) : undefined;
    return size === undefined ? [name] : Array.from({ length: size }, (_, index) => `${name}[${index}]`);
  });
  const places = new Map(columns.map((column, at) => [column, at]));
  const placeOf = ({ input, index }: Contribution) => places.get(`${input}[${index}]`) ?? places.get(input);
  // An input may have the name of another column.
  const names = columns.map((name) => (FIXED.includes(name) ? `${name} (input)` : name));
  return {
    header: csvLine([...FIXED, ...names]),
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

const csvLine = (fields: readonly unknown[]) =>
  `${fields.map((field) => quoted(typeof field === 'number' && Object.is(field, -0) ? '0' : `${field}`)).join(',')}\n`;

/** Quotes a field as RFC 4180 requires. */
const quoted = (field: string) => (/[",\r\n]/.test(field) ? `"${field.replaceAll('"', '""')}"` : field);
