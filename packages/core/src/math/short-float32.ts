/** With this many significant digits, different float32 numbers have different texts. */
const MOST_DIGITS = 9;
/** The number of digits with which the search starts, because most float32 numbers need 7 to 9. */
const USUAL_DIGITS = 7;

/** The powers of ten from 10^0 to 10^22, which float64 represents exactly. */
const POWERS = Float64Array.from({ length: 23 }, (_, exponent) => Number(`1e${exponent}`));
/**
 * A float32 number times 10^12 is exact in float64. The product needs 24 bits for the float32
 * number and 28 bits for 5^12. The factor 2^12 changes only the exponent.
 */
const EXACT_EXPONENT = 12;
/**
 * The product of a float32 number and a power of ten above 10^`EXACT_EXPONENT` is rounded. The
 * rounding error is smaller than this.
 */
const PRODUCT_ERROR = 1e-6;
/**
 * Numbers in this range are rounded with float64 arithmetic, which needs powers of ten up to 10^21.
 * Smaller and larger numbers are rounded as decimal texts.
 */
const [LEAST_SIZE, MOST_SIZE] = [1e-13, 1e9];

/**
 * Returns the float64 number with the fewest decimal digits that rounds to a float32 number:
 * 0.99353087 for 0.9935308694839478. JavaScript prints the result with these digits, and
 * `Math.fround` converts it back to the float32 number. If several numbers with that many digits
 * round to the float32 number, it returns the nearest one.
 *
 * @param value a float32 number. NaN, infinities and -0 stay as they are.
 */
export function shortFloat32(value: number): number {
  const size = Math.abs(value);
  if (!(size < MOST_SIZE && size >= LEAST_SIZE)) return shortByText(value);
  let exponent = 0; // of the first digit: 10^exponent <= size
  if (size >= 1) while (size >= POWERS[exponent + 1]!) exponent++;
  else while (size * POWERS[-exponent]! < 1) exponent--;
  let best = withDigits(size, exponent, USUAL_DIGITS);
  if (Math.fround(best) === size) {
    for (let digits = USUAL_DIGITS - 1; digits > 0; digits--) {
      const shorter = withDigits(size, exponent, digits);
      if (Math.fround(shorter) !== size) break;
      best = shorter;
    }
  } else {
    best = withDigits(size, exponent, USUAL_DIGITS + 1);
    if (Math.fround(best) !== size) best = withDigits(size, exponent, MOST_DIGITS);
  }
  return value < 0 ? -best : best;
}

/**
 * Rounds a number to the given number of significant digits. The final division or product is
 * correctly rounded, because both of its operands are exact. `Math.round` selects the last digit.
 * If the rounding error of `product` could change this digit, `toPrecision` selects it.
 */
function withDigits(size: number, exponent: number, digits: number): number {
  const shift = digits - 1 - exponent;
  if (shift < 0) return Math.round(size / POWERS[-shift]!) * POWERS[-shift]!;
  const product = size * POWERS[shift]!;
  const isClear = shift <= EXACT_EXPONENT || Math.abs(product - Math.floor(product) - 0.5) > PRODUCT_ERROR;
  return isClear ? Math.round(product) / POWERS[shift]! : Number(size.toPrecision(digits));
}

/**
 * Computes `shortFloat32` by formatting and parsing texts, for numbers of all sizes. It also tries
 * the next decimal away from zero. Below a power of two, float32 numbers are closer together, so
 * the nearest decimal may round to another float32 number.
 */
function shortByText(value: number): number {
  if (value === 0 || !Number.isFinite(value)) return value;
  for (let digits = 1; digits < MOST_DIGITS; digits++) {
    const [digitsOf, exponent] = value.toExponential(digits - 1).split('e') as [string, string];
    const nearest = Number(digitsOf.replace('.', ''));
    for (const integer of [nearest, nearest + Math.sign(value)]) {
      const candidate = Number(`${integer}e${Number(exponent) - digits + 1}`);
      if (Math.fround(candidate) === value) return candidate;
    }
  }
  return Number(value.toPrecision(MOST_DIGITS));
}
