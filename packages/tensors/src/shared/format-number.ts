/**
 * A float64 is written with this many significant digits, as in onnxruntime (`%.8g` of C). Numbers
 * of at least 10^DIGITS are written with an exponent.
 */
const DIGITS = 8;
/** This many significant digits identify any float32. */
const FLOAT32_DIGITS = 9;
/**
 * A float is expanded to this many digits before it is rounded. A float exactly half-way between
 * two numbers of eight digits has fewer digits, so its rounding is exact.
 */
const EXACT_DIGITS = 100;

interface Digits {
  readonly digits: string;
  /** The exponent of the first digit: the digit means `digit * 10^exponent`. */
  readonly exponent: number;
}

/**
 * Formats like C's `%.8g`: eight significant digits without trailing zeros, with an exponent below
 * 1e-4 and from 1e8 on.
 */
export const formatFloat64 = (value: number): string => formatted(value, (exact) => cut(exact, DIGITS));

/** Formats with the fewest digits that identify the float32, in the form of `%.8g`. */
export const formatFloat32 = (value: number): string => formatted(value, shortest);

function formatted(value: number, round: (exact: Digits, value: number) => Digits): string {
  if (Number.isNaN(value)) return 'NaN';
  const sign = value < 0 || Object.is(value, -0) ? '-' : '';
  if (!Number.isFinite(value)) return `${sign}INF`;
  if (value === 0) return `${sign}0`;
  const { digits, exponent } = round(exactly(Math.abs(value)), Math.abs(value));
  const significant = digits.replace(/0+$/, '');
  return (
    sign + (exponent < -4 || exponent >= DIGITS ? scientific(significant, exponent) : plain(significant, exponent))
  );
}

/**
 * Returns the shortest decimal number that identifies the float32. If several numbers are equally
 * short, returns the one nearest to the value.
 */
function shortest(exact: Digits, value: number): Digits {
  for (let count = 1; count < FLOAT32_DIGITS; count++) {
    const nearest = cut(exact, count);
    // The spacing of floats changes at a power of two: the nearest text may belong to another
    // float, and the next text may not.
    const found = [nearest, above(nearest)].find((one) => isNearest(value, one));
    if (found !== undefined) return found;
  }
  return cut(exact, FLOAT32_DIGITS);
}

function above({ digits, exponent }: Digits): Digits {
  const next = String(Number(digits) + 1);
  return { digits: next.slice(0, digits.length), exponent: exponent + next.length - digits.length };
}

/**
 * Returns whether the digits give `value` again when parsed as a float32. Rejects digits exactly
 * half-way between two float32.
 */
function isNearest(value: number, { digits, exponent }: Digits): boolean {
  const read = Number(`${digits[0]}.${digits.slice(1)}e${exponent}`);
  return Math.fround(value + (read - value) * (1 + 2 ** -20)) === value;
}

/** Returns the first `EXACT_DIGITS` + 1 digits of a float, padded with zeros. */
function exactly(value: number): Digits {
  const [mantissa, exponent] = value.toExponential(EXACT_DIGITS).split('e') as [string, string];
  return { digits: mantissa.replace('.', ''), exponent: Number(exponent) };
}

/**
 * Rounds to the first `count` digits, half to even, as in C and NumPy. JavaScript rounds halves up.
 */
function cut({ digits, exponent }: Digits, count: number): Digits {
  const [kept, rest] = [digits.slice(0, count), digits.slice(count)];
  const half = `5${'0'.repeat(rest.length - 1)}`;
  const isUp = rest > half || (rest === half && Number(kept.at(-1)) % 2 === 1);
  return isUp ? above({ digits: kept, exponent }) : { digits: kept, exponent };
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
