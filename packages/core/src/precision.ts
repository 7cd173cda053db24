/**
 * The types in which a program of a scikit-learn file can compute. `float64` gives the answers of
 * scikit-learn up to rounding in float64. `float32` is faster, above all for texts, and differs in
 * the seventh digit.
 */
export const precisions = ['float64', 'float32'] as const;
/** The type in which a program of a scikit-learn file computes: `float64`, or `float32`. */
export type Precision = (typeof precisions)[number];
