import { type Forest, type GeneralForest, LEAF } from '@brezel/flour';
import { damaged } from '../errors.js';
import type { Fields } from '../fields.js';
import type { NodeWriter } from '../node.js';

/** The test `x <= threshold` of a forest node. */
const LEQ = 0;
/** The target of a leaf that has a value for each target. */
const EACH_TARGET = -1;

/** Runs a forest. Each tree adds the values of the leaf that the row reaches. */
const forest: NodeWriter = (node) => {
  const features = node.numbers();
  const aggregate = node.fields.choice('aggregate', ['sum', 'average']);
  const model = readForest(node.fields);
  if (node.precision === 'float64') return features.forest(model, aggregate);
  return features.treeEnsemble(narrowForest(model, aggregate === 'average' ? model.roots.length : 1));
};

function readForest(fields: Fields): GeneralForest {
  const left = fields.ints('left');
  const nodes = left.length;
  const targets = fields.int('targets', 1, 2 ** 16);
  const weights = fields.floats('weights').data;
  const leaves = readLeaves(fields, nodes, targets, weights.length);
  return {
    feature: fields.ints('feature', nodes),
    threshold: fields.floatsOf('threshold', nodes),
    mode: left.map((child) => (child < 0 ? LEAF : LEQ)),
    trueChild: left,
    falseChild: fields.ints('right', nodes),
    missingTrue: fields.ints('missing_left', nodes).map((flag) => (flag === 0 ? 0 : 1)),
    roots: fields.ints('roots'),
    ...leaves,
    leafWeight: weights,
    base: fields.floatsOf('base', targets),
    memberStart: new Int32Array(nodes + 1),
    members: new Float64Array(0),
    cover: Float32Array.from(fields.floatsOf('cover', nodes)),
  };
}

/** Returns the start of each node's values, and the target of each value. */
function readLeaves(fields: Fields, nodes: number, targets: number, values: number) {
  const start = fields.ints('start', nodes);
  const treeTarget = fields.ints('target', nodes);
  const leafStart = withEnd(start, values);
  const leafTarget = new Int32Array(values);
  for (let node = 0; node < nodes; node++) {
    const [from, to] = [leafStart[node]!, leafStart[node + 1]!];
    const target = treeTarget[node]!;
    const expected = target === EACH_TARGET ? targets : 1;
    if (from < 0 || from > to || to > values || (from < to && to - from !== expected))
      throw damaged(`${fields.at}.start`, `${expected} values of a leaf within ${values}`, `${from} to ${to}`);
    for (let at = from; at < to; at++) leafTarget[at] = target === EACH_TARGET ? at - from : target;
  }
  return { leafStart, leafTarget };
}

function withEnd(starts: Int32Array, end: number): Int32Array {
  const all = new Int32Array(starts.length + 1);
  all.set(starts);
  all[starts.length] = end;
  return all;
}

/**
 * Converts a forest to float32. A threshold becomes the greatest float32 that is not above it, so
 * that a float32 passes the same tests. Leaves are divided by the number of trees that are
 * averaged.
 */
function narrowForest(model: GeneralForest, divisor: number): Forest {
  const { threshold, leafWeight, base, memberStart: _, members: __, ...others } = model;
  return {
    ...others,
    threshold: Float32Array.from(threshold, floor32),
    leafWeight: Float32Array.from(leafWeight, (weight) => weight / divisor),
    base: Float32Array.from(base),
  };
}

const bits = new DataView(new ArrayBuffer(4));

/** Returns the greatest float32 that is not above a number. */
function floor32(value: number): number {
  const rounded = Math.fround(value);
  if (!(rounded > value)) return rounded;
  bits.setFloat32(0, rounded);
  if (rounded === 0) return -(2 ** -149);
  bits.setInt32(0, bits.getInt32(0) + (rounded > 0 ? -1 : 1));
  return bits.getFloat32(0);
}

export const forestNodes = { forest };
