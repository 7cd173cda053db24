/** The nodes and weights with which an integral over [0, 1] is computed as a sum. */
export interface Quadrature {
  readonly nodes: Float64Array;
  readonly weights: Float64Array;
}

/**
 * The Gauss-Legendre rules that were already computed, by number of nodes. Most forests need only a
 * few.
 */
const rules = new Map<number, Quadrature>();

/** Returns the Gauss-Legendre rule with `size` nodes. Each rule is computed once. */
export function quadratureOf(size: number): Quadrature {
  const rule = rules.get(size) ?? gaussLegendre(size);
  rules.set(size, rule);
  return rule;
}

/**
 * Computes the Gauss-Legendre rule with `size` nodes, which is exact for polynomials of degree
 * below `2 * size`. Newton's method finds the roots of the Legendre polynomial.
 *
 * @see Source: Abramowitz and Stegun, "Handbook of Mathematical Functions", 25.4.29.
 */
function gaussLegendre(size: number): Quadrature {
  const [nodes, weights] = [new Float64Array(size), new Float64Array(size)];
  for (let index = 0; index < size; index++) {
    let root = Math.cos((Math.PI * (index + 0.75)) / (size + 0.5));
    let slope = 1;
    for (let step = 0; step < NEWTON_STEPS; step++) {
      const { value, derivative } = legendre(size, root);
      slope = derivative;
      root -= value / derivative;
    }
    nodes[index] = (1 - root) / 2;
    weights[index] = 1 / ((1 - root * root) * slope * slope);
  }
  return { nodes, weights };
}

/**
 * The number of steps of Newton's method. Each step doubles the number of correct digits, and the
 * first guess has more than two correct digits.
 */
const NEWTON_STEPS = 6;

function legendre(degree: number, x: number): { value: number; derivative: number } {
  let [before, value] = [1, x];
  for (let n = 2; n <= degree; n++) [before, value] = [value, ((2 * n - 1) * x * value - (n - 1) * before) / n];
  return { value, derivative: (degree * (x * value - before)) / (x * x - 1) };
}
