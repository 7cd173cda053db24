import type { NodeFacts, TensorResolver } from '@brezel/tensors';
import { onnxError } from '../errors.js';
import type { ImportBudget } from '../import-budget.js';
import type { ModelProto } from '../proto/schema.js';
import { customOf } from '../rows/strategies/mapping.js';
import type { BlackBoxSelector } from './choose.js';
import { type SplitModel, withBlackBoxes } from './split.js';

/**
 * How to handle unsupported operators. `forbid`: the import fails. `allow`: another runtime runs
 * them, and Brezel runs all other operators. `prefer`: the other runtime runs every operator that
 * it supports. A function chooses node by node, for example to run large convolutions in the other
 * runtime.
 */
export type BlackBoxChoice = 'forbid' | 'allow' | 'prefer' | BlackBoxSelector;

/**
 * Returns the model with black boxes as the caller's option `blackBox` requests them.
 * @throws ERR_ONNX_OPTION for an unknown value of `blackBox`.
 */
export function withChosenBoxes(
  model: ModelProto,
  resolvers: readonly TensorResolver[],
  kind: 'rows' | 'tensors',
  budget: ImportBudget,
  choice: BlackBoxChoice = 'forbid',
): SplitModel {
  if (choice === 'forbid') return { model, boxes: new Map() };
  if (typeof choice === 'function') return withBlackBoxes(model, resolvers, choice, kind, budget);
  if (choice === 'allow') return withBlackBoxes(model, resolvers, () => false, kind, budget);
  if (choice === 'prefer') return withBlackBoxes(model, resolvers, crossesBorders, kind, budget);
  throw onnxError('ERR_ONNX_OPTION', {
    expected: 'blackBox: forbid, allow, prefer or a function',
    received: String(choice),
  });
}

/**
 * Returns whether another runtime can run a node. All inputs and outputs must be tensors, because
 * no other values can be passed to another runtime. The node must not be a custom operator of this
 * process.
 */
const crossesBorders = (node: NodeFacts): boolean =>
  !/Sequence|^Optional|^ZipMap$/.test(node.operator) && customOf(node) === undefined;
