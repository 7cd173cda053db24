import fc from 'fast-check';

const STEPS = 2 ** 30;

/**
 * Draws a number from 0 to 1, without 1, for example for a position in a file. `fc.double` does not
 * draw uniformly: it prefers numbers next to its limits, so most of its positions are the first.
 */
export const fraction: fc.Arbitrary<number> = fc.nat(STEPS - 1).map((step) => step / STEPS);
