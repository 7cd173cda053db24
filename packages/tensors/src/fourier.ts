// Discrete Fourier transforms in float64, in O(n log n) for every length, because a model file can
// request any length.

/** Real and imaginary parts of complex numbers. */
export interface Complex {
  readonly re: Float64Array;
  readonly im: Float64Array;
}

export const complexZeros = (length: number): Complex => ({
  re: new Float64Array(length),
  im: new Float64Array(length),
});

/** Returns the number of float64 elements that the transform of `length` numbers allocates. */
export const fourierSpace = (length: number): number => (isPowerOfTwo(length) ? 2 * length : 10 * 2 * length);

const isPowerOfTwo = (length: number): boolean => Number.isInteger(Math.log2(length));

/** Returns e^(-2 pi i k / length) for k from 0 to `count` - 1. */
function roots(length: number, count: number): Complex {
  const angle = (k: number) => (-2 * Math.PI * k) / length;
  return {
    re: Float64Array.from({ length: count }, (_, k) => Math.cos(angle(k))),
    im: Float64Array.from({ length: count }, (_, k) => Math.sin(angle(k))),
  };
}

/**
 * Transforms complex numbers in place: entry k becomes the sum of x[n] e^(-2 pi i k n / length).
 * The sums are not divided by the length.
 */
export type FourierTransform = (values: Complex) => void;

/**
 * Returns the transform of `length` complex numbers, at least one. `inverseOf` applies its inverse.
 */
export function fourierTransform(length: number): FourierTransform {
  return isPowerOfTwo(length) ? byHalves(length) : byConvolution(length);
}

/**
 * Returns the transform of `length` complex numbers, where `length` is a power of two (Cooley and
 * Tukey). The function joins the transforms of even and odd positions, without recursion.
 */
function byHalves(length: number): FourierTransform {
  const { re: cosines, im: sines } = roots(length, length / 2);
  return (values) => {
    reverseBits(values, length);
    const { re, im } = values;
    for (let size = 2; size <= length; size *= 2) {
      const [half, step] = [size / 2, length / size];
      for (let start = 0; start < length; start += size) {
        for (let k = 0; k < half; k++) {
          const [even, odd] = [start + k, start + k + half];
          const [c, s] = [cosines[k * step]!, sines[k * step]!];
          const [oddRe, oddIm] = [re[odd]! * c - im[odd]! * s, re[odd]! * s + im[odd]! * c];
          re[odd] = re[even]! - oddRe;
          im[odd] = im[even]! - oddIm;
          re[even]! += oddRe;
          im[even]! += oddIm;
        }
      }
    }
  };
}

function reverseBits({ re, im }: Complex, length: number): void {
  for (let at = 1, reversed = 0; at < length; at++) {
    let bit = length >> 1;
    for (; reversed & bit; bit >>= 1) reversed ^= bit;
    reversed ^= bit;
    if (at >= reversed) continue;
    [re[at], re[reversed]] = [re[reversed]!, re[at]!];
    [im[at], im[reversed]] = [im[reversed]!, im[at]!];
  }
}

/**
 * Returns the transform of `length` complex numbers, for any length (Bluestein). Because kn = (k^2
 * + n^2 - (k - n)^2) / 2, the transform is a convolution, which can be padded to a power of two.
 */
function byConvolution(length: number): FourierTransform {
  const padded = 2 ** Math.ceil(Math.log2(2 * length - 1));
  const transform = byHalves(padded);
  const chirp = chirpOf(length);
  const filter = complexZeros(padded);
  for (let n = 0; n < length; n++) {
    for (const index of n === 0 ? [0] : [n, padded - n]) {
      filter.re[index] = chirp.re[n]!;
      filter.im[index] = -chirp.im[n]!;
    }
  }
  transform(filter);
  const work = complexZeros(padded);
  return (values) => {
    work.re.fill(0);
    work.im.fill(0);
    multiply(values, chirp, work, length);
    transform(work);
    multiply(work, filter, work, padded);
    inverseOf(transform, work);
    multiply(work, chirp, values, length);
    for (let k = 0; k < length; k++) {
      values.re[k]! /= padded;
      values.im[k]! /= padded;
    }
  };
}

/**
 * Returns e^(-pi i n^2 / length). n^2 is reduced modulo twice the length, which keeps angles small
 * and exact.
 */
function chirpOf(length: number): Complex {
  const { re, im } = roots(2 * length, 2 * length);
  const square = (n: number) => Number((BigInt(n) * BigInt(n)) % BigInt(2 * length));
  const reduced = Array.from({ length }, (_, n) => square(n));
  return {
    re: Float64Array.from(reduced, (index) => re[index]!),
    im: Float64Array.from(reduced, (index) => im[index]!),
  };
}

function multiply(a: Complex, b: Complex, into: Complex, count: number): void {
  for (let at = 0; at < count; at++) {
    const [aRe, aIm, bRe, bIm] = [a.re[at]!, a.im[at]!, b.re[at]!, b.im[at]!];
    into.re[at] = aRe * bRe - aIm * bIm;
    into.im[at] = aRe * bIm + aIm * bRe;
  }
}

/** Applies the inverse of a transform in place, not divided by its length. */
export function inverseOf(transform: FourierTransform, { re, im }: Complex): void {
  transform({ re: im, im: re });
}
