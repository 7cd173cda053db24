import type { Tensor } from '@brezel/core';
import type { NodeFacts } from '@brezel/tensors';
import { checkNumbers, type LearnedNumbers } from '../learned.js';

/**
 * Learned attributes of ai.onnx.ml models, by ONNX name. Thresholds are checked separately, because
 * leaves ignore them.
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

/**
 * Names of the attributes with the thresholds of trees: as a list, as a tensor, and in operator set
 * 5, where leaves have no threshold.
 */
const thresholds: ReadonlySet<string> = new Set(['nodes_values', 'nodes_values_as_tensor', 'nodes_splits']);
/** Modes that ignore the threshold: leaves, and membership in a set (operator set 5). */
const LEAF = 'LEAF';
const MEMBER = 6;

/**
 * Checks the learned attributes of a node.
 *
 * @throws ERR_FLOUR_WEIGHT, with the first invalid number.
 */
export function checkModelWeights({ operator, attributes }: NodeFacts): void {
  for (const [name, value] of Object.entries(attributes)) {
    const wanted = learned[name.replace(/_as_tensor$/, '')];
    if (wanted !== undefined) checkNumbers(operator, name, numbersIn(value), wanted);
    if (thresholds.has(name)) checkThresholds(operator, name, numbersIn(value), modesIn(attributes.nodes_modes));
  }
}

function checkThresholds(operator: string, name: string, values: Numbers, modes: ArrayLike<unknown>): void {
  const compares = (at: number) => modes[at] !== LEAF && Number(modes[at]) !== MEMBER;
  const compared = Float64Array.from(values, (value, at) => (compares(at) ? Number(value) : 0));
  checkNumbers(operator, name, compared, 'number');
}

/** Returns the mode of each tree node: the names in a list, or the numbers in a tensor. */
function modesIn(value: unknown): ArrayLike<unknown> {
  return Array.isArray(value) ? value : ((value as Partial<Tensor> | undefined)?.data ?? []);
}

type Numbers = ArrayLike<number | bigint>;

/** Returns the numbers of a list or of a tensor. Any other value is rejected when the node runs. */
function numbersIn(value: unknown): Numbers {
  if (Array.isArray(value) || ArrayBuffer.isView(value)) return value as unknown as ArrayLike<number>;
  const { element, data } = (value ?? {}) as Partial<Tensor>;
  return element === 'string' || data === undefined ? [] : (data as ArrayLike<number | bigint>);
}
