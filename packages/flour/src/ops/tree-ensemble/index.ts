import { type ParameterValue, sizeOf, vector } from '@brezel/core';
import { ofIntegers, ofNumbers, onlyInput } from '../../checks.js';
import { defineOp, float32, int32, type OperatorUse } from '../../define-op.js';
import { flourError } from '../../errors.js';
import { Flow } from '../../flow.js';
import { learnsMissing } from '../../missing.js';
import { thresholds } from '../../quality.js';
import { checkFeatures } from './check-features.js';
import '../densify/index.js';
import { contributions } from './contributions.js';
import { kernels } from './physical.js';
import { type Forest, forestOf, integerParts, LEAF, partNames, reference, unknownMode } from './reference.js';
import { coverFault } from './splits.js';

export { featuresRead, mergeForests, renumberFeatures, scaleForest } from './algebra.js';
export { isOrdered, type NormalNode, normalNode } from './normal-node.js';
export { type Forest, forestOf, forestParts, partNames } from './reference.js';

/**
 * Defines the operator `tree-ensemble`, which sums the leaves that a row reaches in a forest of
 * decision trees. `Flow.treeEnsemble` adds it to a program.
 *
 * Types: float32[d] → float32[targets].
 */
export const treeEnsemble = defineOp({
  name: 'tree-ensemble',
  version: 1,
  doc: {
    does: 'Sums the leaves that a row reaches in a forest of decision trees.',
    types: 'float32[d] → float32[targets]',
    attributes: { features: 'number of columns that the trees read' },
    parameters: {
      roots: 'int32[trees], the first node of each tree',
      feature: 'int32[nodes], column to compare',
      threshold: 'float32[nodes]',
      mode: 'int32[nodes], comparison: <=, <, >=, >, =, !=, or a leaf',
      trueChild: 'int32[nodes]',
      falseChild: 'int32[nodes]',
      missingTrue: 'int32[nodes], whether NaN takes the true branch',
      leafStart: 'int32[nodes + 1], start of the weights of each leaf',
      leafTarget: 'int32[weights], target of each weight',
      leafWeight: 'float32[weights]',
      base: 'float32[targets], added to each sum',
      cover:
        'float32[nodes], optional: number or weight of the training rows that reached each node; NaN for each node after the first if several nodes represent one split',
    },
    kernels: ['perfect_forest', 'linked_forest', 'tree_ensemble'],
  },
  attributes: { features: 'count' },
  parameters: {
    roots: ['int32'],
    feature: ['int32'],
    threshold: ['float32'],
    mode: ['int32'],
    trueChild: ['int32'],
    falseChild: ['int32'],
    missingTrue: ['int32'],
    leafStart: ['int32'],
    leafTarget: ['int32'],
    leafWeight: ['float32'],
    base: ['float32'],
    cover: ['float32'],
  },
  annotations: { cardinality: 'n-to-1', bound: 'compute', state: 'model', discontinuous: true },
  learned: { threshold: 'number', leafWeight: 'number', base: 'number' },
  infer(use: OperatorUse) {
    ofIntegers('tree-ensemble', use, integerParts);
    const type = ofNumbers('tree-ensemble', onlyInput('tree-ensemble', use, 'vector'), 'float32');
    const features = use.attributes.features as number;
    if (features > sizeOf(type)) {
      throw flourError('ERR_FLOUR_SIZE', {
        expected: `at least ${features} features, which the trees read`,
        received: `${sizeOf(type)}`,
        at: 'tree-ensemble',
      });
    }
    return vector('float32', use.parameters.base!.shape[0]!);
  },
  reference,
  contributions,
  quality: thresholds,
  missing: learnsMissing,
  check: ({ inputs, parameters }) => {
    const forest = forestOf(parameters);
    checkForest(forest);
    checkFeatures('tree-ensemble', forest, sizeOf(inputs[0]!));
  },
  summary({ parameters: { roots, feature } }) {
    if (roots === undefined || feature === undefined) return '';
    const trees = roots.shape[0];
    return `${trees} ${trees === 1 ? 'tree' : 'trees'}, ${feature.shape[0]} nodes`;
  },
  kernels,
});

declare module '../../flow.js' {
  interface Flow<Kind, Row, Value> {
    /**
     * Sums the leaves that a row reaches in a forest of decision trees.
     *
     * Shapes: dense float32 `[d]` → `[targets]` float32, one per element of `base`. Cost: O(trees *
     * depth). Bit-equal on every engine: trees are added in order.
     * @throws ERR_FLOUR_PARAM for a malformed forest, such as a child before its parent or a target
     * out of range.
     * @see Source: ONNX-ML TreeEnsembleClassifier and TreeEnsembleRegressor, aggregate SUM, before
     * their post transform.
     * @example features.treeEnsemble(forest).map('sigmoid')
     */
    treeEnsemble(this: Flow<'vector', Row, unknown>, forest: Forest): Flow<'vector', Row>;
  }
}

Flow.prototype.treeEnsemble = function (this: Flow<'vector'>, forest) {
  checkForest(forest);
  const parameters = Object.fromEntries(partNames(forest).map((name) => [name, parameter(forest[name]!)]));
  const features = forest.feature.reduce(
    (most, feature, node) => (forest.mode[node] === LEAF ? most : Math.max(most, feature + 1)),
    0,
  );
  return this.context.apply<'vector'>(treeEnsemble, [this.densify()], { attributes: { features }, parameters });
};

const parameter = (data: Int32Array | Float32Array): ParameterValue =>
  data instanceof Float32Array ? float32(data) : int32(data);

/**
 * Checks the structure of a forest, so that every walk from a root ends at a leaf and reads no
 * index out of range.
 */
export function checkForest(forest: Forest): void {
  const nodes = forest.mode.length;
  const fail = (expected: string, received: string) =>
    flourError('ERR_FLOUR_PARAM', { expected, received, at: 'tree-ensemble' });
  for (const name of ['feature', 'threshold', 'trueChild', 'falseChild', 'missingTrue', 'cover'] as const) {
    const { length } = forest[name] ?? forest.mode;
    if (length !== nodes) throw fail(`${nodes} entries in ${name}`, `${length}`);
  }
  if (forest.leafStart.length !== nodes + 1 || forest.leafTarget.length !== forest.leafWeight.length)
    throw fail('leaf lists of equal lengths', 'different lengths');
  const mode = unknownMode(forest.mode);
  if (mode !== undefined) throw fail(`modes from 0 to ${LEAF}`, `${mode}`);
  for (let node = 0; node < nodes; node++) {
    if (forest.mode[node] !== LEAF) {
      const [yes, no] = [forest.trueChild[node]!, forest.falseChild[node]!];
      if (!(yes > node && yes < nodes && no > node && no < nodes))
        throw fail(`children of node ${node} between ${node + 1} and ${nodes - 1}`, `${yes} and ${no}`);
      if (forest.feature[node]! < 0) throw fail(`a feature at node ${node}`, `${forest.feature[node]}`);
    }
    if (forest.leafStart[node + 1]! < forest.leafStart[node]!) throw fail('ascending leafStart', `node ${node}`);
  }
  if (forest.leafStart[0] !== 0 || forest.leafStart[nodes] !== forest.leafTarget.length)
    throw fail('leafStart from 0 to the number of leaf weights', `${forest.leafStart[nodes]}`);
  const root = forest.roots.find((one) => !(one >= 0 && one < nodes));
  if (root !== undefined) throw fail(`roots below ${nodes}`, `${root}`);
  const target = forest.leafTarget.find((one) => !(one >= 0 && one < forest.base.length));
  if (target !== undefined) throw fail(`targets below ${forest.base.length}`, `${target}`);
  const fault = forest.cover && coverFault({ ...forest, cover: forest.cover });
  if (fault !== undefined) throw fail('finite covers from 0 for every root and leaf', fault);
}
