import { regressorModel, treeModel } from '../models.js';
import { type Attributes, type Case, changed, i, ints, REFUSED, s, WEIGHT } from './case.js';

const forest = (attributes: Attributes) => changed(treeModel, attributes);
const regression = (attributes: Attributes) => changed(regressorModel, attributes);
const deep = 20_000;

/** Files with tree ensembles of versions 1 to 3. */
export const trees: readonly Case[] = [
  ['a child that is its parent', forest({ nodes_truenodeids: ints(0, 0, 0, 0) }), REFUSED],
  [
    'two branches to one child',
    forest({ nodes_truenodeids: ints(1, 0, 0, 0), nodes_falsenodeids: ints(1, 0, 0, 0) }),
    'works',
  ],
  [
    'a long cycle',
    forest({
      nodes_modes: { strings: ['BRANCH_LEQ', 'BRANCH_LEQ', 'LEAF', 'LEAF'] },
      nodes_truenodeids: ints(1, 0, 0, 0),
      nodes_falsenodeids: ints(2, 0, 0, 0),
    }),
    REFUSED,
  ],
  ['a child that does not exist', forest({ nodes_truenodeids: ints(77, 0, 0, 0) }), REFUSED],
  ['a child below 0', forest({ nodes_truenodeids: ints(-1, 0, 0, 0) }), REFUSED],
  ['a feature beyond the input', forest({ nodes_featureids: ints(2, 0, 0, 0) }), REFUSED],
  ['a feature of 2^31', forest({ nodes_featureids: ints(2 ** 31, 0, 0, 0) }), REFUSED],
  ['a feature of 2^32', forest({ nodes_featureids: ints(2 ** 32, 0, 0, 0) }), REFUSED],
  ['a feature below 0', forest({ nodes_featureids: ints(-1, 0, 0, 0) }), REFUSED],
  ['a leaf with a feature beyond', forest({ nodes_featureids: ints(1, 99, -5, 0) }), 'works'],
  ['a class beyond', forest({ class_ids: ints(0, 1, 3) }), REFUSED],
  ['a class below 0', forest({ class_ids: ints(0, 1, -1) }), REFUSED],
  ['a class of 2^32', forest({ class_ids: ints(0, 1, 2 ** 32) }), REFUSED],
  ['a class of 2^31 - 1', forest({ class_ids: ints(0, 1, 2 ** 31 - 1) }), REFUSED],
  ['weights of a node that does not exist', forest({ class_nodeids: ints(1, 2, 9) }), REFUSED],
  ['weights of a branch', forest({ class_nodeids: ints(0, 2, 0) }), /works|ERR_(ONNX|FLOUR|STORE)/],
  ['class lists of different lengths', forest({ class_weights: { floats: [1] } }), REFUSED],
  ['node lists of different lengths', forest({ nodes_nodeids: ints(0, 1, 2) }), REFUSED],
  ['modes missing', forest({ nodes_modes: { strings: ['BRANCH_LEQ', 'LEAF'] } }), REFUSED],
  ['a mode that is none', forest({ nodes_modes: { strings: ['BRANCH_FOO', 'LEAF', 'LEAF', 'LEAF'] } }), REFUSED],
  ['values missing', forest({ nodes_values: { floats: [] } }), /works|ERR_(ONNX|FLOUR|STORE)/],
  ['features missing', forest({ nodes_featureids: ints() }), /works|ERR_(ONNX|FLOUR|STORE)/],
  ['one node twice', forest({ nodes_nodeids: ints(0, 1, 1, 0) }), REFUSED],
  [
    'tree numbers of any size',
    forest({
      nodes_treeids: ints(2n ** 53n - 1n, 2n ** 53n - 1n, 2n ** 53n - 1n, -(2n ** 53n) + 1n),
      class_treeids: ints(2n ** 53n - 1n, 2n ** 53n - 1n, -(2n ** 53n) + 1n),
    }),
    'works',
  ],
  ['base values of another number', forest({ base_values: { floats: [1] } }), REFUSED],
  [
    'NaN everywhere',
    forest({
      nodes_values: { floats: [Number.NaN, 0, 0, 0] },
      class_weights: { floats: [Number.NaN, 1, 2] },
      base_values: { floats: [Number.NaN, 0, 0] },
    }),
    WEIGHT,
  ],
  [
    'no nodes',
    forest({
      nodes_treeids: ints(),
      nodes_nodeids: ints(),
      nodes_modes: { strings: [] },
      class_treeids: ints(),
      class_nodeids: ints(),
      class_ids: ints(),
      class_weights: { floats: [] },
    }),
    /works|ERR_(ONNX|FLOUR|STORE)/,
  ],
  [
    'no weights for two classes',
    forest({
      classlabels_int64s: ints(0, 1),
      class_treeids: ints(),
      class_nodeids: ints(),
      class_ids: ints(),
      class_weights: { floats: [] },
    }),
    /works|ERR_(ONNX|FLOUR|STORE)/,
  ],
  [
    'a very deep tree',
    forest({
      nodes_treeids: ints(...new Array<number>(2 * deep + 1).fill(0)),
      nodes_nodeids: ints(...Array.from({ length: 2 * deep + 1 }, (_, at) => at)),
      nodes_featureids: ints(...new Array<number>(2 * deep + 1).fill(0)),
      nodes_values: { floats: new Array<number>(2 * deep + 1).fill(1) },
      nodes_modes: {
        strings: Array.from({ length: 2 * deep + 1 }, (_, at) =>
          at % 2 === 0 && at < 2 * deep ? 'BRANCH_LT' : 'LEAF',
        ),
      },
      nodes_truenodeids: ints(...Array.from({ length: 2 * deep + 1 }, (_, at) => at + 2)),
      nodes_falsenodeids: ints(...Array.from({ length: 2 * deep + 1 }, (_, at) => at + 1)),
      nodes_missing_value_tracks_true: undefined,
      class_treeids: ints(0),
      class_nodeids: ints(2 * deep),
      class_ids: ints(2),
      class_weights: { floats: [3] },
    }),
    'works',
  ],
  ['targets of 2^31', regression({ n_targets: i(2 ** 31) }), REFUSED],
  ['targets of 2^40', regression({ n_targets: i(2 ** 40) }), REFUSED],
  ['targets of 2^53 - 1', regression({ n_targets: i(Number.MAX_SAFE_INTEGER) }), REFUSED],
  ['targets of 0', regression({ n_targets: i(0) }), REFUSED],
  ['targets below 0', regression({ n_targets: i(-1) }), REFUSED],
  ['an aggregate that is none', regression({ aggregate_function: s('MEDIAN') }), REFUSED],
];
