import type { KernelCost, KernelParameter, KernelUse, PhysicalKernel } from '../../define-op.js';
import { MAX_PACKED_COLUMNS } from './forest-blob.js';
import { type ForestShape, shapeOf } from './forest-shape.js';
import { linkedForest, linksFit } from './linked-forest.js';
import { MIN_PERFECT_DEPTH, perfectForest } from './perfect-forest.js';
import { type Forest, forestOf, forestParts } from './reference.js';

// Costs were fitted to times of an x86-64 server core with AVX2 (npm run bench -- forest).

/** Deeper heaps cost more memory than links do. */
const MAX_PERFECT_DEPTH = 10;
const MAX_BLOB_BYTES = 2 ** 31;
const NODE_BYTES = 8;

const perfectDepth = ({ depth }: ForestShape) => Math.max(depth, MIN_PERFECT_DEPTH);
const perfectBytes = (shape: ForestShape) => shape.trees * 2 ** perfectDepth(shape) * (NODE_BYTES + 4);
const linkedBytes = (shape: ForestShape) => (shape.nodes + shape.trees) * NODE_BYTES;
/** Rows of weights if no two are equal. Where leaves list few of many targets, lists are smaller. */
const rowBytes = (shape: ForestShape) => (shape.leafForm === 'rows' ? shape.leaves * shape.targets * 4 : 0);

/** Both packed forms want branches by order and leaves that add at most once to a target. */
const isPackable = (use: KernelUse): boolean => {
  const shape = shapeOf(use);
  return (
    shape.isOrdered &&
    shape.leafForm !== 'lists' &&
    rowBytes(shape) <= 16 * use.parameter('leafWeight').shape[0]! * 4 + 2 ** 20 &&
    shape.features <= MAX_PACKED_COLUMNS / 2
  );
};

/** How many times longer a step takes where nodes are spread over more than a near cache holds. */
const distance = (bytes: number): number => 1 + 0.2 * Math.max(0, Math.min(5, Math.log2(bytes / 2 ** 19)));

const sum = (numbers: Uint32Array): number => numbers.reduce((total, one) => total + one, 0);

const packed = (build: (forest: Forest) => Uint8Array, derive: string): KernelParameter => ({
  derive,
  from: forestParts,
  build: (values) => build(forestOf(values)),
});

/** Nanoseconds for a tree and a row of a batch: where there are gathers, the top levels cost next to nothing. */
const batchLevels: Readonly<Record<string, (depth: number) => number>> = {
  baseline: (depth) => depth,
  avx2: (depth) => 0.9 + 1.05 * (depth - MIN_PERFECT_DEPTH),
  avx512: (depth) => 0.8 + 0.7 * (depth - MIN_PERFECT_DEPTH),
};

/** Filled-up trees without links: the fastest while filling up costs little. */
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

/** Packed nodes with links: for deep and for unbalanced trees, where most rows are at a leaf long before the deepest. */
const linked: PhysicalKernel = {
  kernel: 'linked_forest',
  canRun(use) {
    const shape = shapeOf(use);
    return isPackable(use) && shape.isTrees && linksFit(shape) && linkedBytes(shape) <= MAX_BLOB_BYTES;
  },
  cost(use): KernelCost {
    const shape = shapeOf(use);
    // Shallow trees are told from filled-up ones by their depths: there the two are close, and rows of training go deeper than half and half.
    if (shape.depth <= MAX_PERFECT_DEPTH) {
      const steps = sum(shape.depths);
      const single = 0.8 * shape.trees + 1.15 * steps * distance(linkedBytes(shape));
      return { single, batch: 1.5 * shape.trees + 0.9 * steps };
    }
    const single = 1.5 * shape.trees + 1.2 * shape.steps * distance(linkedBytes(shape));
    const batch = use.isa === 'avx512' ? 0.5 * shape.trees + 0.85 * shape.steps : 1.5 * shape.trees + 1.2 * shape.steps;
    return { single, batch };
  },
  bind: () => ({ parameters: [packed(linkedForest, 'linked forest')] }),
};

/** Every forest, as it is written. */
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

export const kernels: readonly PhysicalKernel[] = [perfect, linked, general];
