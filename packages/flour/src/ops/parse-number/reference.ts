import { dense, type ReferenceKernel, type StringBlock } from '@brezel/core';

/** Decimal notation with optional sign and exponent, infinity and NaN by name; white space around is ignored. */
const NUMBER = /^[+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?$/i;
const INFINITE = /^[+-]?inf(?:inity)?$/i;

/** The nearest float32 (by way of float64); anything that is no number, and empty text, is NaN: missing. */
export const reference: ReferenceKernel = ({ rows, inputs }) => {
  const texts = (inputs[0] as StringBlock).values;
  return dense(
    'float32',
    rows,
    1,
    Float32Array.from(texts, (text) => parse(text.trim())),
  );
};

function parse(text: string): number {
  if (NUMBER.test(text)) return Number(text);
  if (INFINITE.test(text)) return text.startsWith('-') ? Number.NEGATIVE_INFINITY : Number.POSITIVE_INFINITY;
  return Number.NaN;
}
