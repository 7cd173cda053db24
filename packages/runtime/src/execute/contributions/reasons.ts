import type { InputPort } from '@brezel/core';
import { runtimeError } from '../../errors.js';
import { type Contribution, featureKey } from './contribution-list.js';
import { byMagnitude } from './magnitude.js';

/** A reason for an answer: a value of the row, or all values with the same text. */
export interface Reason extends Omit<Contribution, 'value' | 'at' | 'places' | 'error'> {
  /** The text from the option `texts`. Absent if the option has no text for the value. */
  readonly text?: string;
  /**
   * The amount that the reason adds to the score. If several values have the same text, the sum of
   * their contributions.
   */
  readonly value: number;
}

/** The reasons for and against an answer, the greatest by magnitude first. */
export interface Reasons {
  /** Reasons that increase the score of the explained class. */
  readonly toward: readonly Reason[];
  /** Reasons that decrease the score of the explained class. */
  readonly away: readonly Reason[];
}

/** Options of explanations that add reasons. */
export interface ReasonOptions {
  /**
   * The largest number of reasons toward the explained class, and of reasons away from it. An
   * integer from 1. Default: no reasons.
   */
  readonly reasons?: number | undefined;
  /**
   * Texts of reasons. A key is the name of an input (`income`), a number of a vector (`x[3]`), or a
   * category or n-gram of an input (`city: Rome`). The most specific key is used. Values with the
   * same text are one reason.
   */
  readonly texts?: Readonly<Record<string, string>> | undefined;
}

/**
 * Checks the options of reasons.
 * @throws ERR_RUNTIME_OPTION
 */
export function checkReasons({ reasons, texts }: ReasonOptions, inputs: readonly InputPort[]): void {
  const fail = (expected: string, received: unknown, at: string) =>
    runtimeError('ERR_RUNTIME_OPTION', { expected, received: String(received), at });
  if (reasons !== undefined && !(Number.isInteger(reasons) && reasons >= 1))
    throw fail('an integer from 1', reasons, 'reasons');
  if (texts === undefined) return;
  if (reasons === undefined) throw fail('the option reasons beside texts', 'texts alone', 'texts');
  if (typeof texts !== 'object' || texts === null || Array.isArray(texts))
    throw fail('an object with a text for each input', Array.isArray(texts) ? 'an array' : texts, 'texts');
  for (const [key, text] of Object.entries(texts)) {
    if (typeof text !== 'string') throw fail('a text', typeof text, `texts, ${JSON.stringify(key)}`);
    if (inputs.some(({ name }) => key === name || key.startsWith(`${name}[`) || key.startsWith(`${name}: `))) continue;
    const names = inputs.map(({ name }) => name).slice(0, 8);
    throw fail(`a key that starts with an input: ${names.join(', ')}`, JSON.stringify(key), 'texts');
  }
}

/**
 * Returns the reasons for and against an answer. Reasons of equal magnitude keep the order of the
 * contributions. NaN contributions are omitted.
 *
 * @param sorted all contributions, the greatest by magnitude first
 */
export function reasonsOf(sorted: readonly Contribution[], most: number, texts: ReasonOptions['texts']): Reasons {
  const found = new Map<string, Reason>();
  for (const { at: _, places: __, error: ___, ...each } of sorted) {
    const text = textOf(each, texts);
    const key = text === undefined ? featureKey(each) : `text ${text}`;
    const known = found.get(key);
    if (known === undefined) found.set(key, { ...(text !== undefined && { text }), ...each });
    else found.set(key, { ...known, value: known.value + each.value });
  }
  const all = [...found.values()].sort((a, b) => byMagnitude(a.value, b.value));
  return {
    toward: all.filter(({ value }) => value > 0).slice(0, most),
    away: all.filter(({ value }) => value < 0).slice(0, most),
  };
}

function textOf({ input, index, feature }: Contribution, texts: ReasonOptions['texts']): string | undefined {
  if (texts === undefined) return undefined;
  const keys = [`${input}: ${feature}`, `${input}[${index}]`, input];
  const key = keys.find((one) => Object.hasOwn(texts, one));
  return key === undefined ? undefined : texts[key];
}
