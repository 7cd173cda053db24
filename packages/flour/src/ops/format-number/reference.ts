import { type DenseBlock, type ReferenceKernel, strings } from '@brezel/core';

/** Digits that a float is written with at most: what onnxruntime gives C's %.8g, for float32 and float64 alike. */
const DIGITS = 8;
/** More digits than a float that lies half-way between two numbers of eight digits can have. */
const EXACT_DIGITS = 100;

/** One text a number. Bools are 1 and 0. */
export const reference: ReferenceKernel = ({ rows, inputs }) => {
  const block = inputs[0] as DenseBlock;
  const isFloat = block.dtype === 'float32' || block.dtype === 'float64';
  const texts = Array.from(block.values as ArrayLike<number | bigint>, (value) =>
    isFloat ? formatFloat(value as number) : String(value),
  );
  return strings(rows, block.size, texts);
};

/** As C writes `%.8g`: eight significant digits without zeros at the end, with an exponent below 1e-4 and from 1e8 on. */
export function formatFloat(value: number): string {
  if (Number.isNaN(value)) return 'NaN';
  const sign = value < 0 || Object.is(value, -0) ? '-' : '';
  if (!Number.isFinite(value)) return `${sign}INF`;
  if (value === 0) return `${sign}0`;
  const { digits, exponent } = rounded(Math.abs(value));
  const significant = digits.replace(/0+$/, '');
  return (
    sign + (exponent < -4 || exponent >= DIGITS ? scientific(significant, exponent) : plain(significant, exponent))
  );
}

/** Eight digits and the exponent of the first. Half-way cases go to the even digit, as C does it; JavaScript rounds them up. */
function rounded(value: number): { readonly digits: string; readonly exponent: number } {
  const [mantissa, exponent] = value.toExponential(EXACT_DIGITS).split('e') as [string, string];
  const all = mantissa.replace('.', '');
  const [kept, rest] = [all.slice(0, DIGITS), all.slice(DIGITS)];
  const half = `5${'0'.repeat(rest.length - 1)}`;
  const isUp = rest > half || (rest === half && Number(kept.at(-1)) % 2 === 1);
  const digits = String(Number(kept) + (isUp ? 1 : 0));
  const carried = digits.length > DIGITS ? 1 : 0;
  return { digits: digits.slice(0, DIGITS), exponent: Number(exponent) + carried };
}

function scientific(digits: string, exponent: number): string {
  const fraction = digits.length > 1 ? `.${digits.slice(1)}` : '';
  const power = String(Math.abs(exponent)).padStart(2, '0');
  return `${digits[0]}${fraction}e${exponent < 0 ? '-' : '+'}${power}`;
}

function plain(digits: string, exponent: number): string {
  if (exponent < 0) return `0.${'0'.repeat(-exponent - 1)}${digits}`;
  const whole = digits.slice(0, exponent + 1).padEnd(exponent + 1, '0');
  return digits.length > exponent + 1 ? `${whole}.${digits.slice(exponent + 1)}` : whole;
}
