import {
  type Attributes,
  type Block,
  dense,
  numericArray,
  type ReferenceKernel,
  RowError,
  type StringBlock,
} from '@brezel/core';

/** The element types that a parsed number can have. */
export const parsedTypes = ['float32', 'float64', 'int64'] as const;
export type ParsedType = (typeof parsedTypes)[number];

/**
 * Matches a decimal number with optional sign and exponent. Other code handles infinity, NaN and
 * white space.
 */
const NUMBER = /^[+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?$/i;
const WHOLE = /^([+-]?)0*(\d{1,19})$/;
const INFINITE = /^[+-]?inf(?:inity)?$/i;
const NOT_A_NUMBER = /^[+-]?nan$/i;

/**
 * Parses each text to the nearest float64, then rounds it to float32 or truncates it to an integer,
 * depending on the requested type. A text that is not a number, such as the empty text, becomes NaN
 * or rejects its row. For integers, it always rejects its row.
 */
export const reference: ReferenceKernel = ({ rows, inputs, attributes }): Block => {
  const block = inputs[0] as StringBlock;
  const to = parsedTypeOf(attributes);
  const values = numericArray(to, block.values.length);
  const strict = attributes.unknown === 'error' || to === 'int64';
  block.values.forEach((text, at) => {
    const value = parse(text.trim(), to);
    if (value === undefined && strict) {
      const received = `${JSON.stringify(text.slice(0, 40))}, which is not ${to === 'int64' ? 'an int64' : 'a number'}`;
      throw new RowError(Math.floor(at / block.size), { received });
    }
    values[at] = (value ?? Number.NaN) as never;
  });
  return dense(to, rows, block.size, values);
};

export const parsedTypeOf = (attributes: Attributes): ParsedType =>
  (attributes.to as ParsedType | undefined) ?? 'float32';

function parse(text: string, to: ParsedType): number | bigint | undefined {
  if (to === 'int64') return integer(text);
  if (NUMBER.test(text)) return Number(text);
  if (INFINITE.test(text)) return text.startsWith('-') ? Number.NEGATIVE_INFINITY : Number.POSITIVE_INFINITY;
  return NOT_A_NUMBER.test(text) ? Number.NaN : undefined;
}

/**
 * Parses an integer exactly. Truncates a number with a fraction or an exponent. Returns undefined
 * for a text that is not a number, and for a number outside the range of int64.
 */
function integer(text: string): bigint | undefined {
  const [, sign, digits] = WHOLE.exec(text) ?? [];
  if (digits !== undefined) return inRange(sign === '-' ? -BigInt(digits) : BigInt(digits));
  const number = NUMBER.test(text) ? Math.trunc(Number(text)) : Number.NaN;
  return Number.isFinite(number) ? inRange(BigInt(number)) : undefined;
}

const inRange = (value: bigint) => (BigInt.asIntN(64, value) === value ? value : undefined);
