import { type AttributeValue, DataType, makeTensor } from '@brezel/onnx';
import fc from 'fast-check';
import { type Case, ints, list, of, rowsOf, tame, whole } from './random-ml-node.js';

// Forests of operator set 5, which lists leaves and branches separately and has branches with sets.

const treeEnsemble5: Case = [
  'TreeEnsemble-5',
  fc
    .tuple(fc.constantFrom<'float32' | 'float64'>('float32', 'float64'), fc.integer({ min: 1, max: 3 }), fc.nat(3))
    .chain(([type, targets, aggregate]) =>
      fc
        .tuple(
          rowsOf(2, fc.oneof(tame, whole)),
          // Each tree has one branch, on a threshold or on a set of two numbers. onnxruntime
          // truncates numbers below 1 before it compares them with sets.
          fc.array(fc.tuple(fc.nat(1), fc.nat(6), tame, list(fc.integer({ min: 1, max: 5 }), 2), fc.nat(1)), {
            minLength: 1,
            maxLength: 4,
          }),
          list(tame, 8),
          list(fc.nat(targets - 1), 8),
        )
        .map(([rows, branches, weights, ids]) => {
          const numbers = (name: string, values: readonly number[]): AttributeValue => ({
            t: makeTensor(
              name,
              type,
              [values.length],
              (type === 'float32' ? Float32Array.from(values) : Float64Array.from(values)) as never,
            ),
          });
          const count = branches.length;
          const sets = branches.flatMap(([, mode, , set]) => (mode === 6 ? [...set, Number.NaN] : []));
          return of(
            'TreeEnsemble',
            type,
            rows,
            {
              n_targets: { i: targets },
              aggregate_function: { i: aggregate },
              post_transform: { i: 0 },
              tree_roots: ints(branches.map((_, at) => at)),
              nodes_featureids: ints(branches.map(([feature]) => feature)),
              nodes_modes: {
                t: makeTypedTensor(
                  'modes',
                  branches.map(([, mode]) => mode),
                ),
              },
              nodes_splits: numbers(
                'splits',
                branches.map(([, , threshold]) => threshold),
              ),
              nodes_truenodeids: ints(branches.map((_, at) => 2 * at)),
              nodes_falsenodeids: ints(branches.map((_, at) => 2 * at + 1)),
              nodes_trueleafs: ints(branches.map(() => 1)),
              nodes_falseleafs: ints(branches.map(() => 1)),
              nodes_missing_value_tracks_true: ints(branches.map(([, , , , missing]) => missing)),
              leaf_targetids: ints(ids.slice(0, 2 * count)),
              leaf_weights: numbers('weights', weights.slice(0, 2 * count)),
              ...(sets.length > 0 && { membership_values: numbers('sets', sets) }),
            },
            { y: type },
            { opset: 5 },
          );
        }),
    ),
];

/** Returns a tensor of bytes. TreeEnsemble-5 stores modes in this type. */
const makeTypedTensor = (name: string, values: readonly number[]) => ({
  ...makeTensor(name, 'int32', [values.length], Int32Array.from(values)),
  dataType: DataType.UINT8,
});

export const treeEnsembles: readonly Case[] = [treeEnsemble5];
