import { kMeans, svmKernel } from './distances.js';
import { argMax, arithmetic, concat, map, scale, selectColumns, softmax, threshold } from './elementwise.js';
import { treeEnsemble } from './forest.js';
import type { Lowering } from './lowering.js';
import { dense, linear, project, svmPairs } from './matrix.js';

/** How each supported operator (version 1) is lowered, by name. */
export const lowerings: ReadonlyMap<string, Lowering> = new Map(
  Object.entries({
    linear,
    dense,
    project,
    'k-means': kMeans,
    'svm-kernel': svmKernel,
    'svm-pairs': svmPairs,
    'tree-ensemble': treeEnsemble,
    map,
    arithmetic,
    scale,
    softmax,
    concat,
    'select-columns': selectColumns,
    'arg-max': argMax,
    threshold,
  }),
);

/** The names of the operators that can be lowered. */
export const loweredOperators: readonly string[] = [...lowerings.keys()];
