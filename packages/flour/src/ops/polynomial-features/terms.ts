import { flourError } from '../../errors.js';

export interface PolynomialShape {
  readonly least: number;
  readonly most: number;
  readonly interactionOnly: boolean;
  readonly includeBias: boolean;
}

const factorial = (n: number): number => (n < 2 ? 1 : n * factorial(n - 1));

/**
 * Counts the terms of one degree. A term is a combination of features. With `interactionOnly`, a
 * combination contains each feature only once.
 */
function termsOf(features: number, degree: number, interactionOnly: boolean): number {
  const from = interactionOnly ? features : features + degree - 1;
  let product = 1;
  for (let factor = 0; factor < degree; factor++) product *= Math.max(0, from - factor);
  return Math.round(product / factorial(degree));
}

/**
 * Returns the number of columns that the result of `polynomial-features` has.
 *
 * @throws ERR_FLOUR_SIZE for a result without columns.
 */
export function columnsOf(features: number, { least, most, interactionOnly, includeBias }: PolynomialShape): number {
  let columns = includeBias ? 1 : 0;
  for (let degree = Math.max(1, least); degree <= most; degree++) columns += termsOf(features, degree, interactionOnly);
  if (columns > 0) return columns;
  throw flourError('ERR_FLOUR_SIZE', {
    expected: 'at least one term',
    received: `degree ${least} to ${most} of ${features} features`,
    at: 'polynomial-features',
  });
}
