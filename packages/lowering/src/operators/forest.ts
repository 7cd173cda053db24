import type { ParameterValue } from '@brezel/core';
import { type Forest, forestParts, isOrdered } from '@brezel/flour';
import { loweringError } from '../errors.js';
import { writeGemm } from './forest-gemm.js';
import { type OrderedForest, orderedForest, pathsOf } from './forest-paths.js';
import { writeTraversal } from './forest-traversal.js';
import type { ForestStrategy, Lowering } from './lowering.js';

/**
 * The largest depth of a forest that `auto` writes with `gemm`. Each level doubles the number of
 * comparisons, so matrix products are faster only for shallow trees (Hummingbird: depth 3 for one
 * row, 10 for many rows).
 */
const GEMM_DEPTH = 6;
/**
 * The largest number of elements in a constant of the model. A forest that needs a larger constant
 * is rejected with ERR_LOWERING_LIMIT.
 */
const MAX_NUMBERS = 2 ** 26;
/**
 * The largest depth of a forest for `traversal`; a deeper one is rejected with
 * ERR_LOWERING_LIMIT. The ONNX graph has 7 nodes for each level, or 11
 * if NaN takes the low child of some branch.
 */
const MAX_STEPS = 1000;
const LEAF = 6;

export const treeEnsemble: Lowering = {
  exact: false,
  attributes: ['features'], // a limit that the check of the operator uses
  jumps: true,
  whyUnsupported({ parameters }) {
    const forest = forestFrom(parameters);
    if (forest.roots.length === 0) return 'a forest without trees';
    const isOther = forest.mode.some((mode) => mode !== LEAF && !isOrdered(mode));
    return isOther ? 'branches that test equality' : undefined;
  },
  write(use) {
    const forest = orderedForest(forestFrom(use.parameters));
    const strategy = use.forest === 'auto' ? bestStrategy(forest) : use.forest;
    const excess = strategy === 'gemm' ? gemmExcess(forest) : traversalExcess(forest);
    if (excess !== undefined)
      throw loweringError('ERR_LOWERING_LIMIT', { ...excess, at: `${strategy} of ${forest.roots.length} trees` });
    return strategy === 'gemm' ? writeGemm(use, forest) : writeTraversal(use, forest);
  },
};

const forestFrom = (parameters: Readonly<Record<string, ParameterValue>>): Forest =>
  Object.fromEntries(
    forestParts.map((name) => [name, (parameters[name] as { data: unknown }).data]),
  ) as unknown as Forest;

const bestStrategy = (forest: OrderedForest): ForestStrategy =>
  forest.depth <= GEMM_DEPTH && gemmExcess(forest) === undefined ? 'gemm' : 'traversal';

interface Excess {
  readonly expected: string;
  readonly received: string;
}

/**
 * Returns why `gemm` cannot write a forest, or undefined if it can. The largest table of `gemm` has
 * an entry for each tree, comparison and leaf. A node with several parents has several paths, which
 * matrix products cannot represent.
 */
function gemmExcess(forest: OrderedForest): Excess | undefined {
  const paths = pathsOf(forest, MAX_NUMBERS);
  if (paths === undefined)
    return { expected: 'one short path to each node', received: 'several parents, or too many steps' };
  return beyond(MAX_NUMBERS, 'numbers in a constant', forest.roots.length * paths.branches * paths.leaves);
}

const traversalExcess = (forest: OrderedForest): Excess | undefined =>
  beyond(MAX_STEPS, 'steps', forest.depth) ??
  beyond(MAX_NUMBERS, 'numbers in a constant', forest.low.length * forest.base.length);

const beyond = (limit: number, what: string, count: number): Excess | undefined =>
  count <= limit ? undefined : { expected: `at most ${limit} ${what}`, received: `${count}` };
