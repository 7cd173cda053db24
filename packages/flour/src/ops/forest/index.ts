import { dtypeOf, type NumericArray, type ParameterValue, sizeOf, vector } from '@brezel/core';
import { ofIntegers, ofNumbers, onlyInput } from '../../checks.js';
import { defineOp, float32, type KernelUse, numbersOf, type OperatorUse } from '../../define-op.js';
import { flourError } from '../../errors.js';
import { Flow } from '../../flow.js';
import { learnsMissing } from '../../missing.js';
import { thresholds } from '../../quality.js';
import { checkFeatures } from '../tree-ensemble/check-features.js';
import '../densify/index.js';
import { coverFault } from '../tree-ensemble/splits.js';
import { contributions } from './contributions.js';
import { type Aggregate, aggregates, type GeneralForest, LEAF, MEMBER, reference } from './reference.js';

export { type Aggregate, type GeneralForest, LEAF, MEMBER } from './reference.js';

const names = [
  'feature',
  'threshold',
  'mode',
  'trueChild',
  'falseChild',
  'missingTrue',
  'roots',
  'leafStart',
  'leafTarget',
  'leafWeight',
  'base',
  'memberStart',
  'members',
] as const;
const floats: readonly string[] = ['threshold', 'leafWeight', 'base', 'members'];
const integers = names.filter((name) => !floats.includes(name));

/**
 * Defines the operator `forest`, which runs a forest of decision trees. Unlike `tree-ensemble`, it
 * supports float64 thresholds, tests of set membership, nodes with several parents, and all
 * aggregates. `Flow.forest` adds it to a program.
 *
 * Types: float32[d] or float64[d] → [targets] of that type.
 */
export const forest = defineOp({
  name: 'forest',
  version: 1,
  doc: {
    does: 'Runs a forest of decision trees that may have float64 thresholds, tests of set membership, nodes with several parents, and any aggregate.',
    types: 'float32[d] or float64[d] → [targets] of that type',
    attributes: { aggregate: 'sum, average, min or max', features: 'number of columns that the trees read' },
    parameters: {
      roots: 'int32[trees], the first node of each tree',
      feature: 'int32[nodes], column to compare',
      threshold: 'float64[nodes]',
      mode: 'int32[nodes], comparison: <=, <, >=, >, =, !=, or a leaf',
      trueChild: 'int32[nodes]',
      falseChild: 'int32[nodes]',
      missingTrue: 'int32[nodes], whether NaN takes the true branch',
      leafStart: 'int32[nodes + 1], start of the weights of each leaf',
      leafTarget: 'int32[weights], target of each weight',
      leafWeight: 'float64[weights]',
      base: 'float64[targets]',
      memberStart: 'int32[nodes + 1], start of the set of each node',
      members: 'float64[members], the sets',
      cover:
        'float32[nodes], optional: number or weight of the training rows that reached each node; NaN for each node after the first if several nodes represent one split',
    },
    kernels: ['forest'],
  },
  attributes: { aggregate: aggregates, features: 'count' },
  parameters: {
    roots: ['int32'],
    feature: ['int32'],
    threshold: ['float64'],
    mode: ['int32'],
    trueChild: ['int32'],
    falseChild: ['int32'],
    missingTrue: ['int32'],
    leafStart: ['int32'],
    leafTarget: ['int32'],
    leafWeight: ['float64'],
    base: ['float64'],
    memberStart: ['int32'],
    members: ['float64'],
    cover: ['float32'],
  },
  annotations: { cardinality: 'n-to-1', bound: 'compute', state: 'model' },
  learned: { threshold: 'number', leafWeight: 'number', base: 'number' },
  infer(use: OperatorUse) {
    ofIntegers('forest', use, integers);
    const type = ofNumbers('forest', onlyInput('forest', use, 'vector'), 'float32', 'float64');
    const features = use.attributes.features as number;
    if (features > sizeOf(type))
      throw flourError('ERR_FLOUR_SIZE', {
        expected: `at least ${features} features, which the trees read`,
        received: `${sizeOf(type)}`,
        at: 'forest',
      });
    return vector(dtypeOf(type), use.parameters.base!.shape[0]!);
  },
  reference,
  contributions,
  quality: thresholds,
  missing: learnsMissing,
  check: ({ inputs, parameters }) => {
    const model = partsOf(parameters);
    checkForest(model);
    checkFeatures('forest', model, sizeOf(inputs[0]!));
  },
  cost,
  kernel: ({ attributes }) => ({
    kernel: 'forest',
    parameters: names,
    attributes: [aggregates.indexOf(attributes.aggregate as Aggregate)],
  }),
});

/**
 * The estimated time per node that a row visits. `STEP_NANOS`: nanoseconds if the node is in the L2
 * cache. This time is short, because the addon walks several trees alternately. `FETCH_NANOS`:
 * additional nanoseconds for each doubling of the forest's size beyond `NEAR_BYTES`.
 */
const [STEP_NANOS, FETCH_NANOS] = [1.7, 4];
const NODE_BYTES = 36;
const NEAR_BYTES = 2 ** 19;

/**
 * Estimates the time per row in nanoseconds. Assumes that trees are balanced, because measuring
 * their depth would take too long.
 */
function cost({ parameters }: KernelUse): number {
  const [nodes, trees] = [parameters.mode!.shape[0]!, parameters.roots!.shape[0]!];
  if (trees === 0) return 0;
  const steps = trees * Math.max(1, Math.log2(nodes / trees + 1) - 1);
  const distance = Math.max(0, Math.log2((nodes * NODE_BYTES) / NEAR_BYTES));
  return steps * (STEP_NANOS + FETCH_NANOS * distance);
}

declare module '../../flow.js' {
  interface Flow<Kind, Row, Value> {
    /**
     * Runs a forest of decision trees. Use it for forests with float64 thresholds, tests of set
     * membership, nodes with several parents, or another aggregate than the sum. For other forests,
     * `treeEnsemble` is faster.
     *
     * Shapes: dense float32 or float64 `[d]` → `[targets]` of that type, one per element of `base`.
     * Thresholds are compared in float64. Trees are added in order, rounded to the type after each
     * operation. Cost: O(trees * depth). Bit-equal on every engine.
     * @throws ERR_FLOUR_PARAM for a malformed forest, such as a child before its parent or a target
     * out of range.
     * @see Source: ONNX-ML TreeEnsemble-5, TreeEnsembleRegressor-3 with aggregate_function and
     * `*_as_tensor`.
     * @example features.forest(general, 'average')
     */
    forest(this: Flow<'vector', Row, unknown>, forest: GeneralForest, aggregate?: Aggregate): Flow<'vector', Row>;
  }
}

Flow.prototype.forest = function (this: Flow<'vector'>, model, aggregate = 'sum') {
  checkForest(model);
  if (!aggregates.includes(aggregate)) throw fail(aggregates.join(', '), String(aggregate));
  const parameters = Object.fromEntries(names.map((name) => [name, parameter(model[name])]));
  if (model.cover !== undefined) parameters.cover = float32(model.cover);
  const features = model.feature.reduce(
    (most, feature, node) => (model.mode[node] === LEAF ? most : Math.max(most, feature + 1)),
    0,
  );
  return this.context.apply<'vector'>(forest, [this.densify()], { attributes: { features, aggregate }, parameters });
};

const parameter = (data: NumericArray): ParameterValue =>
  data instanceof Float64Array
    ? { dtype: 'float64', shape: [data.length], data }
    : { dtype: 'int32', shape: [data.length], data: data as Int32Array };

const fail = (expected: string, received: string) =>
  flourError('ERR_FLOUR_PARAM', { expected, received, at: 'forest' });

const partsOf = (parameters: Readonly<Record<string, ParameterValue>>) =>
  Object.fromEntries(
    Object.entries(parameters).map(([name, value]) => [name, numbersOf(value)]),
  ) as unknown as GeneralForest;

/**
 * Checks the structure of a forest, so that every walk from a root ends at a leaf and reads no
 * index out of range.
 */
function checkForest(model: GeneralForest): void {
  const nodes = model.mode.length;
  for (const name of ['feature', 'threshold', 'trueChild', 'falseChild', 'missingTrue', 'cover'] as const) {
    const { length } = model[name] ?? model.mode;
    if (length !== nodes) throw fail(`${nodes} entries in ${name}`, `${length}`);
  }
  checkStarts('leafStart', model.leafStart, nodes, model.leafTarget.length);
  checkStarts('memberStart', model.memberStart, nodes, model.members.length);
  if (model.leafTarget.length !== model.leafWeight.length)
    throw fail('a weight a target', `${model.leafWeight.length}`);
  if (model.base.length === 0) throw fail('a base value a target', 'none');
  for (let node = 0; node < nodes; node++) {
    if (!(model.mode[node]! >= 0 && model.mode[node]! <= MEMBER))
      throw fail('modes from 0 to 7', `${model.mode[node]}`);
    if (model.mode[node] === LEAF) continue;
    const [yes, no] = [model.trueChild[node]!, model.falseChild[node]!];
    if (!(yes > node && yes < nodes && no > node && no < nodes))
      throw fail(`children of node ${node} between ${node + 1} and ${nodes - 1}`, `${yes} and ${no}`);
    if (model.feature[node]! < 0) throw fail(`a feature at node ${node}`, `${model.feature[node]}`);
  }
  const root = model.roots.find((one) => !(one >= 0 && one < nodes));
  if (root !== undefined) throw fail(`roots below ${nodes}`, `${root}`);
  const target = model.leafTarget.find((one) => !(one >= 0 && one < model.base.length));
  if (target !== undefined) throw fail(`targets below ${model.base.length}`, `${target}`);
  const fault = model.cover && coverFault({ ...model, cover: model.cover });
  if (fault !== undefined) throw fail('finite covers from 0 for every root and leaf', fault);
}

function checkStarts(name: string, starts: Int32Array, nodes: number, end: number): void {
  const grows = starts.every((start, at) => at === 0 || start >= starts[at - 1]!);
  if (starts.length !== nodes + 1 || starts[0] !== 0 || starts[nodes] !== end || !grows)
    throw fail(`${nodes + 1} ascending numbers from 0 to ${end} in ${name}`, 'other numbers');
}
