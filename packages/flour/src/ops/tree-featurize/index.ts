import { sizeOf, sparse, vector } from '@brezel/core';
import { ofIntegers, ofNumbers, onlyInput } from '../../checks.js';
import { defineOp, float32, int32, numbersOf, type StoredUse } from '../../define-op.js';
import { flourError } from '../../errors.js';
import { Flow } from '../../flow.js';
import { learnsMissing } from '../../missing.js';
import { ofCount, placeOf } from '../../numbers.js';
import { thresholds } from '../../quality.js';
import '../densify/index.js';
import { checkFeatures } from '../tree-ensemble/check-features.js';
import { checkForest, type Forest } from '../tree-ensemble/index.js';
import { LEAF, unknownMode } from '../tree-ensemble/reference.js';
import { checkTreesApart, nodeNumbers } from './forest-numbers.js';
import { reference, type TreeOutput, treeOutputs } from './reference.js';

export type { TreeOutput } from './reference.js';

const at = 'tree-featurize';
const names = ['feature', 'threshold', 'mode', 'trueChild', 'falseChild', 'missingTrue', 'roots', 'number', 'value'];
/**
 * The names of the parameters that hold integers: the indices and modes by which a walk finds the
 * next node, and the numbers of the nodes.
 */
const pointers = names.filter((name) => name !== 'threshold' && name !== 'value');

/**
 * Defines the operator `tree-featurize`, which converts a row to features of a forest: the values
 * of the reached leaves, the leaves, or the paths to them. `Flow.treeFeaturize` adds it to a
 * program.
 *
 * Types: float32[d] → float32[trees], or sparse float32[nodes].
 */
export const treeFeaturize = defineOp({
  name: at,
  version: 1,
  doc: {
    does: 'Converts a row to features for the next model: the values of the reached leaves, the leaves, or the paths to them.',
    types: 'float32[d] → float32[trees], or sparse float32[nodes]',
    attributes: {
      output: 'values, leaves or paths',
      columns: 'number of columns',
      features: 'number of columns that the trees read',
    },
    parameters: {
      roots: 'int32[trees], the first node of each tree',
      feature: 'int32[nodes], column to compare',
      threshold: 'float32[nodes]',
      mode: 'int32[nodes], comparison: <=, <, >=, >, =, !=, or a leaf',
      trueChild: 'int32[nodes]',
      falseChild: 'int32[nodes]',
      missingTrue: 'int32[nodes], whether NaN takes the true branch',
      value: 'float32[nodes], values of leaves',
      number: 'int32[nodes], index of a leaf among all leaves, or of another node among all other nodes',
    },
    kernels: ['tree_featurize'],
  },
  attributes: { output: 'infer', columns: 'count', features: 'count' },
  parameters: {
    roots: ['int32'],
    feature: ['int32'],
    threshold: ['float32'],
    mode: ['int32'],
    trueChild: ['int32'],
    falseChild: ['int32'],
    missingTrue: ['int32'],
    value: ['float32'],
    number: ['int32'],
  },
  annotations: { cardinality: 'n-to-1', bound: 'compute', state: 'featurizer' },
  learned: { threshold: 'number', value: 'number' },
  infer(use) {
    ofIntegers(at, use, pointers);
    const type = ofNumbers(at, onlyInput(at, use, 'vector'), 'float32');
    placeOf(at, 'output', use.attributes.output, treeOutputs);
    const features = use.attributes.features as number;
    if (features > sizeOf(type)) {
      throw flourError('ERR_FLOUR_SIZE', {
        expected: `at least ${features} features, which the trees read`,
        received: `${sizeOf(type)}`,
        at,
      });
    }
    const columns = use.attributes.columns as number;
    return use.attributes.output === 'values' ? vector('float32', columns) : sparse(columns);
  },
  reference,
  quality: thresholds,
  missing: learnsMissing,
  check: checkWalk,
  kernel: ({ attributes }) => ({
    kernel: 'tree_featurize',
    parameters: names,
    attributes: [treeOutputs.indexOf(attributes.output as TreeOutput)],
  }),
});

/**
 * Checks the parameters that a walk reads, so that every walk ends and reads no index out of range.
 */
function checkWalk({ inputs, attributes, parameters }: StoredUse): void {
  const list = (name: string) => numbersOf(parameters[name]!) as Int32Array;
  const [mode, yes, no, roots] = [list('mode'), list('trueChild'), list('falseChild'), list('roots')];
  for (const name of names) if (name !== 'roots') ofCount(at, name, list(name), mode.length);
  const inside = (node: number, least: number) => node >= least && node < mode.length;
  const stray = mode.findIndex(
    (one, node) => one !== LEAF && !(inside(yes[node]!, node + 1) && inside(no[node]!, node + 1)),
  );
  const root = roots.find((one) => !inside(one, 0));
  const unknown = unknownMode(mode);
  if (unknown !== undefined)
    throw flourError('ERR_FLOUR_PARAM', { expected: `modes from 0 to ${LEAF}`, received: `${unknown}`, at });
  if (stray >= 0 || root !== undefined)
    throw flourError('ERR_FLOUR_PARAM', {
      expected: 'children after their parents',
      received: stray >= 0 ? `others at node ${stray}` : `root ${root}`,
      at,
    });
  checkFeatures(at, { mode, feature: list('feature') }, sizeOf(inputs[0]!));
  const { output, columns } = attributes as { output: TreeOutput; columns: number };
  if (output === 'values') return void ofCount(at, 'roots', roots, columns);
  const outside = list('number').find(
    (one, node) => (mode[node] === LEAF) === (output === 'leaves') && !(one >= 0 && one < columns),
  );
  if (outside !== undefined)
    throw flourError('ERR_FLOUR_PARAM', { expected: `numbers from 0 to ${columns - 1}`, received: `${outside}`, at });
}

declare module '../../flow.js' {
  interface Flow<Kind, Row, Value> {
    /**
     * Converts a row to features of a forest. `values`: the value of the reached leaf of each tree.
     * `leaves`: a 1 in the column of each reached leaf. `paths`: a 1 in the column of each inner
     * node on the paths to these leaves. Columns have the order of the nodes in `forest`.
     *
     * Shapes: dense float32 `[d]` → `values`: float32 `[trees]`; `leaves`: sparse float32 `[leaves
     * of all trees]`; `paths`: sparse float32 `[inner nodes of all trees]`. Cost: O(trees * depth).
     * Bit-equal on every engine.
     * @throws ERR_FLOUR_PARAM for a malformed forest, trees that share a node, or, with `values`, a
     * leaf with several weights.
     * @throws ERR_FLOUR_SIZE if the trees read more features than the row has, or, with `paths`, if
     * no tree has an inner node.
     * @see Source: ML.NET TreeFeaturizer (Trees, Leaves, Paths); scikit-learn RandomTreesEmbedding.
     * @example features.treeFeaturize(forest, 'leaves')
     */
    treeFeaturize(this: Flow<'vector', Row, unknown>, forest: Forest, output: TreeOutput): Flow<'vector', Row>;
  }
}

Flow.prototype.treeFeaturize = function (this: Flow<'vector'>, forest, output) {
  checkForest(forest);
  checkTreesApart(at, forest);
  const { numbers, leaves, branches } = nodeNumbers(forest);
  const features = forest.feature.reduce(
    (most, feature, node) => (forest.mode[node] === LEAF ? most : Math.max(most, feature + 1)),
    0,
  );
  const { feature, threshold, mode, trueChild, falseChild, missingTrue, roots } = forest;
  return this.context.apply<'vector'>(treeFeaturize, [this.densify()], {
    attributes: { output, features, columns: { values: roots.length, leaves, paths: branches }[output] },
    parameters: {
      feature: int32(feature),
      threshold: float32(threshold),
      mode: int32(mode),
      trueChild: int32(trueChild),
      falseChild: int32(falseChild),
      missingTrue: int32(missingTrue),
      roots: int32(roots),
      number: int32(numbers),
      value: float32(leafValues(forest, output)),
    },
  });
};

/** Returns the weight of each leaf, and 0 for each branch. */
function leafValues({ mode, leafStart, leafWeight }: Forest, output: TreeOutput): Float32Array {
  return Float32Array.from(mode, (one, node) => {
    const weights = leafStart[node + 1]! - leafStart[node]!;
    if (one !== LEAF || weights === 0) return 0;
    if (weights === 1 || output !== 'values') return leafWeight[leafStart[node]!]!;
    throw flourError('ERR_FLOUR_PARAM', {
      expected: 'one weight for each leaf',
      received: `${weights} at node ${node}`,
      at,
    });
  });
}
