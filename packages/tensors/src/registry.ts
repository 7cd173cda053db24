import type { TensorOperator } from './define.js';
import { families } from './families/index.js';

const known = new Map<string, TensorOperator[]>();
for (const operator of families.flat()) {
  const key = `${operator.domain}:${operator.operator}`;
  known.set(key, [...(known.get(key) ?? []), operator]);
}

/**
 * Returns the reference implementation of an operator for a version of its operator set, or
 * undefined if Brezel does not support the operator.
 */
export function tensorOperator(domain: string, operator: string, opset: number): TensorOperator | undefined {
  return known.get(`${domain}:${operator}`)?.find(({ versions: [from, to] }) => opset >= from && opset <= to);
}

/** Returns every operator of tensor programs, for documentation. */
export const allTensorOperators = (): readonly TensorOperator[] => [...known.values()].flat();
