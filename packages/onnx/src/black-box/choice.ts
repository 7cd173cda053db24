import type { NodeFacts, TensorResolver } from '@brezel/tensors';
import { onnxError } from '../errors.js';
import type { ImportBudget } from '../import-budget.js';
import type { ModelProto } from '../proto/schema.js';
import type { BlackBoxWish } from './choose.js';
import { type SplitModel, withBlackBoxes } from './split.js';

/**
 * What becomes of operators that Brezel does not have: `forbid`: an error; `allow`: another runtime
 * runs them, the rest is Brezel's; `prefer`: it runs whatever it can. Or a function that says so of
 * nodes that Brezel has, too (large convolutions, for one).
 */
export type BlackBoxChoice = 'forbid' | 'allow' | 'prefer' | BlackBoxWish;

/** Returns the model split by the caller's choice of black boxes. @throws ERR_ONNX_OPTION */
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
 * Returns whether all inputs and outputs of a node are tensors, because only tensors cross to
 * another runtime.
 */
const crossesBorders = ({ operator }: NodeFacts): boolean => !/Sequence|^Optional|^ZipMap$/.test(operator);
