import type { Attributes, AttributeValue } from '@brezel/core';

/**
 * The numbers that JSON cannot represent, by name. The file stores each as an object, for example
 * `{"$":"NaN"}`. Attributes contain no other objects, so decoding is unambiguous.
 */
const special: ReadonlyMap<string, number> = new Map([
  ['NaN', Number.NaN],
  ['Infinity', Number.POSITIVE_INFINITY],
  ['-Infinity', Number.NEGATIVE_INFINITY],
  ['-0', -0],
]);
const DEEPEST = 32;

export const encodeAttributes = (attributes: Attributes): string =>
  JSON.stringify(attributes, (_, value) => (typeof value === 'number' ? spell(value) : value));

const spell = (value: number): number | { $: string } =>
  Object.is(value, -0) ? { $: '-0' } : Number.isFinite(value) ? value : { $: `${value}` };

/** Parses the JSON text of attributes. Returns undefined if the text is invalid. */
export function decodeAttributes(text: string): Attributes | undefined {
  try {
    const parsed: unknown = JSON.parse(text);
    if (parsed === null || typeof parsed !== 'object' || Array.isArray(parsed)) return undefined;
    return Object.fromEntries(Object.entries(parsed).map(([name, value]) => [name, decode(value, DEEPEST)]));
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

function decode(value: unknown, deepest: number): AttributeValue {
  if (Array.isArray(value)) {
    if (deepest === 0) throw new SyntaxError('too deep');
    return value.map((element) => decode(element, deepest - 1));
  }
  if (value === null || typeof value !== 'object') return value as AttributeValue;
  const number = special.get((value as { $: string }).$);
  if (number === undefined) throw new SyntaxError('an object');
  return number;
}
