import type { Attributes, AttributeValue } from '@brezel/core';

/**
 * Objects that replace numbers which JSON cannot represent. Attributes never contain objects, so
 * decoding is unambiguous.
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

/** Decodes the attributes in a text. Returns undefined if the text is invalid. */
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
