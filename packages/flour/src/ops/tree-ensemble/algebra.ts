import { type Forest, LEAF } from './reference.js';

// Functions that combine or change forests and return a forest.

/**
 * Merges several forests over the same input into one forest. `added`: the forests have the same
 * targets, and the merged forest adds the scores of all trees. `stacked`: the targets of each
 * forest follow the targets of the previous forest. With `stacked`, the scores have the same bits
 * as before the merge.
 */
export function mergeForests(forests: readonly Forest[], targets: 'added' | 'stacked'): Forest {
  const nodes = startsOf(forests.map(({ mode }) => mode.length));
  const leaves = startsOf(forests.map(({ leafTarget }) => leafTarget.length));
  const outputs = startsOf(forests.map(({ base }) => (targets === 'stacked' ? base.length : 0)));
  const ints = (name: keyof Forest, shifts?: readonly number[]) =>
    joined(
      Int32Array,
      forests.map((one) => one[name] as Int32Array),
      shifts,
    );
  const floats = (name: keyof Forest) =>
    joined(
      Float32Array,
      forests.map((one) => one[name] as Float32Array),
    );
  // The last entry of `leafStart` is the number of leaf weights. The first entry of the next forest
  // will have the same value, so it is dropped here.
  const starts = forests.map(({ leafStart }, at) => leafStart.subarray(0, at < forests.length - 1 ? -1 : undefined));
  return {
    feature: ints('feature'),
    threshold: floats('threshold'),
    mode: ints('mode'),
    trueChild: ints('trueChild', nodes),
    falseChild: ints('falseChild', nodes),
    missingTrue: ints('missingTrue'),
    roots: ints('roots', nodes),
    leafStart: joined(Int32Array, starts, leaves),
    leafTarget: ints('leafTarget', outputs),
    leafWeight: floats('leafWeight'),
    base: targets === 'stacked' ? floats('base') : forests.map(({ base }) => base).reduce(sum),
    ...(forests.every(({ cover }) => cover !== undefined) && { cover: floats('cover') }),
  };
}

const sum = (a: Float32Array, b: Float32Array) => a.map((value, at) => value + b[at]!);

/** Concatenates lists. Adds an offset to the numbers of each list. */
function joined<List extends Int32Array | Float32Array>(
  type: new (length: number) => List,
  lists: readonly List[],
  shifts?: readonly number[],
): List {
  const starts = startsOf(lists.map(({ length }) => length));
  const all = new type(starts.at(-1)!);
  lists.forEach((list, at) => {
    const shift = shifts?.[at] ?? 0;
    for (let index = 0; index < list.length; index++) all[starts[at]! + index] = list[index]! + shift;
  });
  return all;
}

/**
 * Returns the index at which each of several concatenated lists starts, and the end of the last
 * list.
 */
function startsOf(lengths: readonly number[]): number[] {
  const starts = [0];
  for (const length of lengths) starts.push(starts.at(-1)! + length);
  return starts;
}

/**
 * Returns a forest whose result is `forest(x) * scale + offset`, with one scale and offset per
 * target. Multiplies the leaves and the base, and adds the offset to the base.
 */
export function scaleForest(forest: Forest, scale: Float64Array, offset: Float64Array): Forest {
  const at = (values: Float64Array, target: number) => values[values.length === 1 ? 0 : target]!;
  return {
    ...forest,
    leafWeight: forest.leafWeight.map((weight, leaf) => weight * at(scale, forest.leafTarget[leaf]!)),
    base: forest.base.map((value, target) => value * at(scale, target) + at(offset, target)),
  };
}

/** Returns for each of the `features` columns whether a tree tests it. */
export function featuresRead(forest: Forest, features: number): boolean[] {
  const read = new Array<boolean>(features).fill(false);
  forest.mode.forEach((mode, node) => {
    if (mode !== LEAF) read[forest.feature[node]!] = true;
  });
  return read;
}

/**
 * Returns a forest that reads other columns: a branch that tested column `old` tests column
 * `columns[old]`.
 */
export function renumberFeatures(forest: Forest, columns: ArrayLike<number>): Forest {
  const feature = forest.feature.map((column, node) => (forest.mode[node] === LEAF ? 0 : columns[column]!));
  return { ...forest, feature };
}
