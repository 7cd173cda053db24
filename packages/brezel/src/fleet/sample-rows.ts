import { type CompiledPlan, type DictionaryType, dtypeOf, randomNumbers, sizeOf } from '@brezel/core';
import type { ObjectStore } from '@brezel/object-store';

const ROWS = 4;
const TOKENS = 12;
/**
 * Texts that every generated set includes: an empty text, other scripts, and words that no
 * vocabulary contains.
 */
const UNUSUAL_TEXTS = ['', 'Zażółć gęślą jaźń 😀 ÅŚİ', 'q7 x-9 __ \t\n'];

/**
 * Generates rows for a plan without golden rows. Every call returns the same rows. Texts consist of
 * words from the plan's vocabularies, so that answers depend on the weights. Numbers are between -2
 * and 2, except in dictionaries.
 *
 * @param count number of ordinary rows. Three rows with unusual texts and larger numbers follow
 * them.
 */
export function sampleRows(plan: CompiledPlan, store: ObjectStore, count = ROWS): Readonly<Record<string, unknown>>[] {
  const tokens = new KnownTokens(plan, store);
  const random = randomNumbers(1);
  const sentence = () =>
    tokens.count === 0
      ? 'a text of some words'
      : Array.from({ length: TOKENS }, () => tokens.at(Math.floor(random() * tokens.count))).join(' ');
  return Array.from({ length: count + UNUSUAL_TEXTS.length }, (_, row) =>
    Object.fromEntries(
      plan.inputs.map(({ name, type }) => {
        if (type.kind === 'dictionary') return [name, sampleDictionary(type, tokens, random)];
        const dtype = dtypeOf(type);
        const element = () => {
          if (dtype === 'string') return row < count ? sentence() : UNUSUAL_TEXTS[row - count]!;
          if (dtype === 'bool') return random() < 0.5;
          const number = (random() - 0.5) * (row < count ? 4 : 200);
          return dtype === 'int64' || dtype === 'int32' ? Math.round(number) : Math.fround(number);
        };
        return [name, type.kind === 'scalar' ? element() : Array.from({ length: sizeOf(type) }, element)];
      }),
    ),
  );
}

/** Generates a dictionary with some keys that the plan uses, and one unknown key. */
function sampleDictionary(
  { keys, values }: DictionaryType,
  tokens: KnownTokens,
  random: () => number,
): Record<string, number | string> {
  const known = tokens.all().filter((token) => keys === 'string' || /^-?\d{1,15}$/.test(token));
  const names = keys === 'string' ? ['unknown key', ...known] : ['7', ...known];
  const value = () =>
    values === 'string' ? 'a text' : values === 'int64' ? Math.round(random() * 9) : Math.fround(random() * 4);
  return Object.fromEntries(names.filter((_, index) => index === 0 || random() < 0.5).map((name) => [name, value()]));
}

/**
 * The strings in a plan's parameters, numbered in the order of the parameters. Besides
 * vocabularies, these include labels, which are harmless in sample texts.
 *
 * The strings stay in the lists of the store. Plans of a family share vocabularies of up to a
 * million strings. A copy for each plan would take most of the time of `packFleet`.
 */
class KnownTokens {
  readonly count: number;
  readonly #lists: readonly (readonly string[])[];

  constructor(plan: CompiledPlan, store: ObjectStore) {
    this.#lists = plan.parameters.flatMap((id) => {
      if (store.info(id).dtype !== 'string') return [];
      const value = store.get(id);
      return value.dtype === 'string' ? [value.values] : [];
    });
    this.count = this.#lists.reduce((sum, list) => sum + list.length, 0);
  }

  at(index: number): string | undefined {
    let left = index;
    for (const list of this.#lists) {
      if (left < list.length) return list[left];
      left -= list.length;
    }
    return undefined;
  }

  all(): string[] {
    return this.#lists.flat();
  }
}
