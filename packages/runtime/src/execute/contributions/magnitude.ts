/**
 * Compares numbers for sorting by magnitude, the greatest first. NaN counts as infinite, and two
 * infinite numbers are equal.
 */
export const byMagnitude = (a: number, b: number): number => magnitude(b) - magnitude(a) || 0;

const magnitude = (value: number) => (Number.isNaN(value) ? Number.POSITIVE_INFINITY : Math.abs(value));
