import { type AttributeValue, makeGraph, makeModel, makeTensor, writeModel } from '@brezel/onnx';
import { floats, ml } from '../models.js';
import { type Case, i, ints, REFUSED } from './case.js';

const tensor = (...values: number[]) => ({
  t: makeTensor('t', 'float32', [values.length], Float32Array.from(values)),
});
const modes = (...values: number[]) => ({ t: makeTensor('m', 'int32', [values.length], Int32Array.from(values)) });
const stump = {
  n_targets: i(1),
  tree_roots: ints(0),
  nodes_featureids: ints(0),
  nodes_modes: modes(0),
  nodes_splits: tensor(0.5),
  nodes_truenodeids: ints(0),
  nodes_falsenodeids: ints(1),
  nodes_trueleafs: ints(1),
  nodes_falseleafs: ints(1),
  leaf_targetids: ints(0, 0),
  leaf_weights: tensor(1, 2),
};
const trees = (changes: Record<string, AttributeValue>) => () =>
  writeModel(
    makeModel(
      makeGraph({
        node: [ml('TreeEnsemble', ['x'], ['y'], { ...stump, ...changes })],
        input: floats(2),
        output: floats(1, 'y'),
      }),
      { '': 17, 'ai.onnx.ml': 5 },
    ),
  );

/** Files with TreeEnsemble of ai.onnx.ml 5. */
export const treesOfVersion5: readonly Case[] = [
  ['a stump', trees({}), 'works'],
  ['a stump twice', trees({ tree_roots: ints(0, 0) }), 'works'],
  ['a set', trees({ nodes_modes: modes(6), membership_values: tensor(1, 2, Number.NaN) }), 'works'],
  ['a set without its end', trees({ nodes_modes: modes(6), membership_values: tensor(1, 2) }), 'works'],
  ['no set', trees({ nodes_modes: modes(6) }), REFUSED],
  ['a set too many', trees({ membership_values: tensor(1, Number.NaN) }), REFUSED],
  ['a mode that is none', trees({ nodes_modes: modes(7) }), REFUSED],
  ['a mode below 0', trees({ nodes_modes: modes(-1) }), REFUSED],
  ['a cycle', trees({ nodes_trueleafs: ints(0) }), REFUSED],
  ['a leaf beyond', trees({ nodes_falsenodeids: ints(2) }), REFUSED],
  ['a node beyond', trees({ nodes_falseleafs: ints(0) }), REFUSED],
  ['a root beyond', trees({ tree_roots: ints(1) }), REFUSED],
  ['a root below 0', trees({ tree_roots: ints(-1) }), REFUSED],
  ['no roots', trees({ tree_roots: ints() }), 'works'],
  ['a feature beyond', trees({ nodes_featureids: ints(2) }), REFUSED],
  ['a target beyond', trees({ leaf_targetids: ints(0, 1) }), REFUSED],
  ['targets of 2^40', trees({ n_targets: i(2 ** 40) }), REFUSED],
  ['lists of other lengths', trees({ nodes_splits: tensor() }), REFUSED],
  ['weights of another number', trees({ leaf_weights: tensor(1) }), REFUSED],
  ['an aggregate that is none', trees({ aggregate_function: i(4) }), REFUSED],
  ['a transform that is none', trees({ post_transform: i(5) }), REFUSED],
  ['a feature of 2^40', trees({ nodes_featureids: ints(2 ** 40) }), REFUSED],
];
