import { type AttributeValue, makeTensor } from '@brezel/onnx';
import fc from 'fast-check';
import type { ElementType } from './against-onnxruntime.js';
import { type Case, floats, ints, list, of, rowsOf, strings, tame, transforms } from './random-ml-node.js';

// Forests of operator sets 1 to 4, with one array per attribute and one entry per node.

/** A node of a tree in the file. Branches and leaves are identified by number. */
interface Node {
  readonly mode: number;
  readonly feature: number;
  readonly threshold: number;
  readonly missing: number;
  readonly yes: number;
  readonly no: number;
}
const LEAF = 6;
const modes = ['BRANCH_LEQ', 'BRANCH_LT', 'BRANCH_GTE', 'BRANCH_GT', 'BRANCH_EQ', 'BRANCH_NEQ', 'LEAF'];

/**
 * Draws a full tree of depth 2 with three branches and four leaves. A forest has a single mode, as
 * trained forests have.
 */
const tree = (features: number, mode: number): fc.Arbitrary<readonly Node[]> =>
  list(fc.tuple(fc.nat(features - 1), tame, fc.nat(1)), 3).map((branches) => [
    ...branches.map(([feature, threshold, missing], at) => ({
      mode,
      feature,
      threshold,
      missing,
      yes: 2 * at + 1,
      no: 2 * at + 2,
    })),
    ...Array.from({ length: 4 }, () => ({ mode: LEAF, feature: 0, threshold: 0, missing: 0, yes: 0, no: 0 })),
  ]);

const forest = (features: number): fc.Arbitrary<readonly (readonly Node[])[]> =>
  // No NEQ: in onnxruntime, a NaN is unequal to any threshold. In ONNX, NaN takes the branch of
  // missing values.
  fc.nat(4).chain((mode) => fc.array(tree(features, mode), { minLength: 1, maxLength: 4 }));

/** Returns the attributes of the nodes of trees. With `isWide`, numbers are doubles. */
function nodeAttributes(trees: readonly (readonly Node[])[], isWide = false): Record<string, AttributeValue> {
  const nodes = trees.flatMap((nodes, tree) => nodes.map((node, id) => ({ ...node, tree, id })));
  const thresholds = nodes.map((node) => node.threshold + (isWide ? 1e-12 : 0));
  return {
    nodes_treeids: ints(nodes.map(({ tree }) => tree)),
    nodes_nodeids: ints(nodes.map(({ id }) => id)),
    nodes_featureids: ints(nodes.map(({ feature }) => feature)),
    nodes_modes: strings(nodes.map(({ mode }) => modes[mode]!)),
    nodes_truenodeids: ints(nodes.map(({ yes }) => yes)),
    nodes_falsenodeids: ints(nodes.map(({ no }) => no)),
    nodes_missing_value_tracks_true: ints(nodes.map(({ missing }) => missing)),
    ...doubles('nodes_values', thresholds, isWide),
  };
}

const doubles = (name: string, values: readonly number[], isWide: boolean): Record<string, AttributeValue> =>
  isWide
    ? { [`${name}_as_tensor`]: { t: makeTensor(name, 'float64', [values.length], Float64Array.from(values)) } }
    : { [name]: floats(values) };

const withMissing = fc.oneof({ weight: 9, arbitrary: tame }, { weight: 1, arbitrary: fc.constant(Number.NaN) });

const treeClassifier: Case = [
  'TreeEnsembleClassifier',
  fc
    .tuple(fc.constantFrom(2, 3, 5), fc.constantFrom(...transforms), fc.boolean(), fc.boolean(), fc.constantFrom(0, 1))
    .chain(([classes, transform, isText, isPositive, scoring]) =>
      fc.tuple(forest(3), rowsOf(3, withMissing)).chain(([trees, rows]) => {
        // Each leaf has all classes. With two classes, it has only one, as exporters write it. If a
        // leaf has both, onnxruntime reads only the score of the second.
        const scored = classes === 2 ? [scoring] : Array.from({ length: classes }, (_, at) => at);
        const leaves = trees.flatMap((_, tree) =>
          [3, 4, 5, 6].flatMap((node) => scored.map((id) => ({ tree, node, id }))),
        );
        const hasBase = classes > 2 || (scored.length === 1 && scored[0] === 0);
        return fc
          .tuple(
            list(isPositive ? fc.integer({ min: 0, max: 8 }).map((value) => value / 16) : tame, leaves.length),
            fc.boolean(),
            list(tame, classes === 2 ? 1 : classes),
          )
          .map(([weights, wantsBase, base]) =>
            of(
              'TreeEnsembleClassifier',
              'float32',
              rows,
              {
                ...nodeAttributes(trees),
                class_treeids: ints(leaves.map(({ tree }) => tree)),
                class_nodeids: ints(leaves.map(({ node }) => node)),
                class_ids: ints(leaves.map(({ id }) => id)),
                // The sum is never zero. If all scores are zero, SOFTMAX_ZERO is 0 / 0 in
                // onnxruntime, and zero in Brezel.
                class_weights: floats(weights.map((weight) => weight + 1 / 64)),
                post_transform: { s: transform === 'PROBIT' && scored.length === 1 ? 'NONE' : transform },
                ...(hasBase && wantsBase && { base_values: floats(base) }),
                ...(isText
                  ? { classlabels_strings: strings(['p', 'q', 'r', 's', 't'].slice(0, classes)) }
                  : { classlabels_int64s: ints([4, 2, 7, 0, -3].slice(0, classes)) }),
              },
              { label: isText ? 'string' : 'int64', y: 'float32' },
              { tolerance: [1e-4, 1e-4] },
            ),
          );
      }),
    ),
];

const treeRegressor: Case = [
  'TreeEnsembleRegressor',
  fc
    .tuple(
      fc.constantFrom(1, 2, 3),
      fc.constantFrom('SUM', 'AVERAGE', 'MIN', 'MAX'),
      fc.constantFrom<ElementType>('float32', 'float64'),
      fc.boolean(),
      fc.constantFrom(...transforms),
    )
    .chain(([targets, aggregate, type, hasTensors, transform]) =>
      fc.tuple(forest(3), rowsOf(3, withMissing)).chain(([trees, rows]) => {
        const leaves = trees.flatMap((_, tree) =>
          [3, 4, 5, 6].flatMap((node) => Array.from({ length: targets }, (_, id) => ({ tree, node, id }))),
        );
        const isWide = hasTensors && type === 'float64';
        return fc.tuple(list(tame, leaves.length), fc.boolean(), list(tame, targets)).map(([weights, hasBase, base]) =>
          of(
            'TreeEnsembleRegressor',
            type,
            rows,
            {
              ...nodeAttributes(trees, isWide),
              target_treeids: ints(leaves.map(({ tree }) => tree)),
              target_nodeids: ints(leaves.map(({ node }) => node)),
              target_ids: ints(leaves.map(({ id }) => id)),
              // The sum is never zero, as above.
              ...doubles(
                'target_weights',
                weights.map((weight) => weight + 1 / 64),
                isWide,
              ),
              ...(hasBase && doubles('base_values', base, isWide)),
              n_targets: { i: targets },
              aggregate_function: { s: aggregate },
              post_transform: { s: transform },
            },
            { y: 'float32' },
            { tolerance: [1e-4, 1e-4] },
          ),
        );
      }),
    ),
];

export const treeNodes: readonly Case[] = [treeClassifier, treeRegressor];
