import { checkNumbers, type LearnedNumbers } from '../../learned.js';
import type { NodeFacts } from './resolve.js';
import type { Tensor } from './tensor.js';

/**
 * What training gives in models of ai.onnx.ml, under the names of ONNX. Thresholds are not among them: those of leaves mean nothing and may be NaN.
 * They are looked at when the trees are put in order, at the first request.
 */
const learned: Readonly<Record<string, LearnedNumbers>> = {
  coefficients: 'finite',
  intercepts: 'number',
  support_vectors: 'finite',
  kernel_params: 'finite',
  rho: 'number',
  prob_a: 'finite',
  prob_b: 'finite',
  target_weights: 'number',
  class_weights: 'number',
  leaf_weights: 'number',
  base_values: 'number',
};

/** @throws ERR_FLOUR_WEIGHT, naming the first number of a node that means nothing. */
export function checkModelWeights({ operator, attributes }: NodeFacts): void {
  for (const [name, value] of Object.entries(attributes)) {
    const wanted = learned[name.replace(/_as_tensor$/, '')];
    if (wanted !== undefined) checkNumbers(operator, name, numbersIn(value), wanted);
  }
}

/** Of a list, or of a tensor. Anything else is refused when the node runs. */
function numbersIn(value: unknown): ArrayLike<number | bigint> {
  if (Array.isArray(value) || ArrayBuffer.isView(value)) return value as unknown as ArrayLike<number>;
  const { element, data } = (value ?? {}) as Partial<Tensor>;
  return element === 'string' || data === undefined ? [] : (data as ArrayLike<number | bigint>);
}
