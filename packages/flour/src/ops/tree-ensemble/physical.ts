import type { KernelCost, KernelParameter, KernelUse, PhysicalKernel } from '../../define-op.js';
import { MAX_PACKED_COLUMNS } from './forest-blob.js';
import { type ForestShape, shapeOf } from './forest-shape.js';
import { linkedForest, linksFit } from './linked-forest.js';
import { MIN_PERFECT_DEPTH, perfectForest } from './perfect-forest.js';
import { type Forest, forestOf, forestParts } from './reference.js';

// The cost constants are nanoseconds on an AMD EPYC core for each instruction set, measured by `npm
// run bench -- forest`. Oven uses them to select the kernel of a forest and to estimate the time of
// its stage. Batches are faster than these constants: padded trees since ADR 36, linked trees since
// ADR 53. Other processors differ: on an Intel Xeon at 2.5 GHz, one more level of a padded tree
// takes 1.5 ns per tree and row of a batch. AVX2 takes 1.4 ns, AVX-512 takes 1.1 ns. (CPU time of a
// busy machine, 100 trees of depth 4 to 10.)

/** Deeper trees are not padded, because padding them takes more memory than links. */
const MAX_PERFECT_DEPTH = 10;
const MAX_BLOB_BYTES = 2 ** 31;
const NODE_BYTES = 8;

const perfectDepth = ({ depth }: ForestShape) => Math.max(depth, MIN_PERFECT_DEPTH);
const perfectBytes = (shape: ForestShape) => shape.trees * 2 ** perfectDepth(shape) * (NODE_BYTES + 4);
const linkedBytes = (shape: ForestShape) => (shape.nodes + shape.trees) * NODE_BYTES;
/**
 * Returns how many bytes the rows of leaf weights take if no two rows are equal. These rows are
 * large if a forest has many targets and each leaf has weights for only a few of them.
 */
const rowBytes = (shape: ForestShape) => (shape.leafForm === 'rows' ? shape.leaves * shape.targets * 4 : 0);

/**
 * Returns whether packed kernels support a forest. Its branches must test only `<=`, `<`, `>=` or
 * `>`. Its leaves must have at most one weight per target, and its rows of weights must not be too
 * large. The forest may read at most half of `MAX_PACKED_COLUMNS` features, because a feature may
 * need two columns.
 */
const isPackable = (use: KernelUse): boolean => {
  const shape = shapeOf(use);
  return (
    shape.isOrdered &&
    shape.leafForm !== 'lists' &&
    rowBytes(shape) <= 16 * use.parameter('leafWeight').shape[0]! * 4 + 2 ** 20 &&
    shape.features <= MAX_PACKED_COLUMNS / 2
  );
};

/**
 * Returns the factor by which a visit of a node becomes slower if `bytes`, the size of all nodes,
 * exceeds a cache of 512 KiB.
 */
const distance = (bytes: number): number => 1 + 0.2 * Math.max(0, Math.min(5, Math.log2(bytes / 2 ** 19)));

const sum = (numbers: Uint32Array): number => numbers.reduce((total, one) => total + one, 0);

const packed = (
  build: (forest: Forest) => Uint8Array,
  derive: string,
  from: readonly string[] = forestParts,
): KernelParameter => ({ derive, from, build: (values) => build(forestOf(values)) });

/**
 * Estimated nanoseconds for one row of a batch in one tree of the given depth, by instruction set.
 */
const batchLevels: Readonly<Record<string, (depth: number) => number>> = {
  baseline: (depth) => depth,
  avx2: (depth) => 0.9 + 1.05 * (depth - MIN_PERFECT_DEPTH),
  avx512: (depth) => 0.8 + 0.7 * (depth - MIN_PERFECT_DEPTH),
};

/**
 * The kernel for trees that are padded to the same depth. It is the fastest kernel if padding takes
 * little memory.
 */
const perfect: PhysicalKernel = {
  kernel: 'perfect_forest',
  canRun(use) {
    const shape = shapeOf(use);
    return isPackable(use) && shape.depth <= MAX_PERFECT_DEPTH && perfectBytes(shape) <= MAX_BLOB_BYTES;
  },
  cost(use): KernelCost {
    const shape = shapeOf(use);
    const depth = perfectDepth(shape);
    const single = shape.trees * depth * distance(perfectBytes(shape));
    return { single, batch: shape.trees * (batchLevels[use.isa ?? 'avx2'] ?? batchLevels.baseline!)(depth) };
  },
  bind: () => ({ parameters: [packed(perfectForest, 'perfect forest')] }),
};

/**
 * The kernel for packed nodes with links. It suits deep trees, and unbalanced trees in which most
 * rows reach a leaf early.
 */
const linked: PhysicalKernel = {
  kernel: 'linked_forest',
  canRun(use) {
    const shape = shapeOf(use);
    return isPackable(use) && shape.isTrees && linksFit(shape) && linkedBytes(shape) <= MAX_BLOB_BYTES;
  },
  cost(use): KernelCost {
    const shape = shapeOf(use);
    // For shallow trees, chooses between linked and padded trees by depth. The costs of both are
    // similar, and real rows reach deeper leaves than the cost estimate assumes.
    if (shape.depth <= MAX_PERFECT_DEPTH) {
      const steps = sum(shape.depths);
      const single = 0.8 * shape.trees + 1.15 * steps * distance(linkedBytes(shape));
      return { single, batch: 1.5 * shape.trees + 0.9 * steps };
    }
    const single = 1.5 * shape.trees + 1.2 * shape.steps * distance(linkedBytes(shape));
    const batch = use.isa === 'avx512' ? 0.5 * shape.trees + 0.85 * shape.steps : 1.5 * shape.trees + 1.2 * shape.steps;
    return { single, batch };
  },
  bind(use) {
    // The order of the nodes depends on covers.
    const from = use.parameters.cover === undefined ? forestParts : [...forestParts, 'cover'];
    return { parameters: [packed(linkedForest, 'linked forest by visits', from)] };
  },
};

/**
 * The kernel for packed nodes with links, in the order that earlier versions of Oven stored. It is
 * never the cheapest kernel, but files of these versions contain it.
 */
const linkedByLeaves: PhysicalKernel = {
  ...linked,
  cost: () => ({ single: Number.POSITIVE_INFINITY, batch: Number.POSITIVE_INFINITY }),
  bind: () => ({ parameters: [packed((forest) => linkedForest(forest, 'leaves'), 'linked forest')] }),
};

/** The kernel for any forest. It reads the parameters without packing them. */
const general: PhysicalKernel = {
  kernel: 'tree_ensemble',
  canRun: () => true,
  cost(use): KernelCost {
    const shape = shapeOf(use);
    const steps = sum(shape.depths);
    const single = 1.5 * shape.trees + 2 * steps * distance(2 * linkedBytes(shape));
    return { single, batch: 2 * shape.trees + 1.2 * steps };
  },
  bind: () => ({ parameters: forestParts }),
};

export const kernels: readonly PhysicalKernel[] = [perfect, linked, general, linkedByLeaves];
