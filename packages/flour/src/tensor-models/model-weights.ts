import type { Tensor } from '@brezel/core';
import type { NodeFacts } from '@brezel/tensors';
import { checkNumbers, type LearnedNumbers } from '../learned.js';

/**
 * The learned attributes of ai.onnx.ml models, with the numbers that are valid in them. Thresholds
 * are checked separately, because leaves and membership tests may have any threshold.
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
 * The attributes that contain the thresholds of trees: `nodes_values` as a list,
 * `nodes_values_as_tensor` as a tensor, and `nodes_splits` in TreeEnsemble-5.
 */
const thresholds: ReadonlySet<string> = new Set(['nodes_values', 'nodes_values_as_tensor', 'nodes_splits']);
/**
 * The mode of a leaf, whose threshold is not checked. In TreeEnsemble-5, leaves are not nodes, so
 * no node has this mode.
 */
const LEAF = 'LEAF';
/** The mode of a membership test in TreeEnsemble-5. Its threshold is not checked either. */
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

/**
 * Returns the mode of each tree node: names if the attribute is a list, numbers if it is a tensor.
 */
function modesIn(value: unknown): ArrayLike<unknown> {
  return Array.isArray(value) ? value : ((value as Partial<Tensor> | undefined)?.data ?? []);
}

type Numbers = ArrayLike<number | bigint>;

/**
 * Returns the numbers of an attribute that is a list or a tensor. Returns an empty list for any
 * other value, which is rejected when the node runs.
 */
function numbersIn(value: unknown): Numbers {
  if (Array.isArray(value) || ArrayBuffer.isView(value)) return value as unknown as ArrayLike<number>;
  const { element, data } = (value ?? {}) as Partial<Tensor>;
  return element === 'string' || data === undefined ? [] : (data as ArrayLike<number | bigint>);
}
