import { type AnswerElement, int64Of } from 'brezel';

/**
 * Writes a list of elements as JSON. NaN and infinities become texts, because JSON cannot represent
 * them.
 */
export function elementsJson(elements: readonly AnswerElement[], isFloat: boolean): string {
  if (isFloat && (elements as readonly number[]).every(isPlain)) return JSON.stringify(elements);
  return `[${elements.map((element) => elementJson(element, isFloat)).join(',')}]`;
}

/**
 * Returns whether JSON.stringify writes the number unchanged. JSON.stringify writes NaN and
 * infinities as null, and drops the sign of zero.
 */
const isPlain = (number: number) => Number.isFinite(number) && !Object.is(number, -0);

function elementJson(element: AnswerElement, isFloat: boolean): string {
  if (typeof element === 'bigint') return `${element}`;
  // JSON has no undefined and no functions: JSON.stringify returns undefined for them.
  if (typeof element !== 'number') return JSON.stringify(element) ?? 'null';
  if (Number.isNaN(element) || !Number.isFinite(element)) return `"${element}"`;
  // Clients in other languages read `-0` as an integer, and integers have no negative zero.
  if (Object.is(element, -0)) return isFloat ? '-0.0' : '0';
  // JavaScript writes integers from 1e21 on with an exponent. Some languages do not read such a
  // number as an integer.
  return isFloat ? `${element}` : int64Of(element).toString();
}

/** Writes the value of an output as JSON. */
export function valueJson(value: unknown, isFloat: boolean): string {
  if (value === null || value === undefined) return 'null';
  if (Array.isArray(value) || ArrayBuffer.isView(value)) {
    const list = Array.from(value as ArrayLike<unknown>);
    if (list.some((element) => typeof element === 'object'))
      return `[${list.map((element) => valueJson(element, isFloat)).join(',')}]`;
    return elementsJson(list as AnswerElement[], isFloat);
  }
  if (typeof value !== 'object') return elementJson(value as AnswerElement, isFloat || !Number.isInteger(value));
  const entries = Object.entries(value).map(([key, entry]) => `${JSON.stringify(key)}:${valueJson(entry, true)}`);
  return `{${entries.join(',')}}`;
}
