import fc from 'fast-check';

// Writes XGBoost's documents and computes its predictions, for tests of the importer. The code
// shares nothing with the importer.

export interface Split {
  readonly feature: number;
  readonly threshold: number;
  readonly defaultLeft: boolean;
  /** The categories that a node tests instead of a threshold. These categories go right. */
  readonly categories?: readonly number[];
  readonly left: Tree;
  readonly right: Tree;
}
export type Tree = Split | number;

export interface Model {
  readonly features: number;
  readonly targets?: number;
  readonly trees: readonly Tree[];
  readonly objective?: string;
  readonly baseScore?: string;
  readonly dropout?: readonly number[];
  readonly bestIteration?: number;
}

/** Returns the value and the node of the leaf that a row of float32 numbers reaches. */
export function walk(tree: Tree, row: readonly number[]): { value: number; node: number } {
  const nodes = numbered(tree);
  let at = 0;
  for (;;) {
    const { one, left, right } = nodes[at]!;
    if (typeof one === 'number') return { value: Math.fround(one), node: at };
    at = goesLeft(one, Math.fround(row[one.feature]!)) ? left : right;
  }
}

function goesLeft({ categories, defaultLeft, threshold }: Split, value: number): boolean {
  if (Number.isNaN(value)) return defaultLeft;
  if (categories === undefined) return value < Math.fround(threshold);
  return value < 0 || !categories.includes(Math.trunc(value));
}

interface Numbered {
  readonly one: Tree;
  left: number;
  right: number;
}

function numbered(tree: Tree): Numbered[] {
  const nodes: Numbered[] = [{ one: tree, left: -1, right: -1 }];
  for (let at = 0; at < nodes.length; at++) {
    const node = nodes[at]!;
    if (typeof node.one === 'number') continue;
    node.left = nodes.push({ one: node.one.left, left: -1, right: -1 }) - 1;
    node.right = nodes.push({ one: node.one.right, left: -1, right: -1 }) - 1;
  }
  return nodes;
}

const int32 = (values: readonly number[]) => Int32Array.from(values);

function treeDocument(tree: Tree, features: number) {
  const nodes = numbered(tree);
  const splits = nodes.map(({ one }) => (typeof one === 'number' ? undefined : one));
  const sets = splits.flatMap((split, node) => (split?.categories ? [{ node, set: split.categories }] : []));
  const starts = sets.map((_, at) => sets.slice(0, at).reduce((sum, { set }) => sum + set.length, 0));
  return {
    categories: int32(sets.flatMap(({ set }) => set)),
    categories_nodes: int32(sets.map(({ node }) => node)),
    categories_segments: starts,
    categories_sizes: sets.map(({ set }) => set.length),
    default_left: Uint8Array.from(splits.map((split) => (split?.defaultLeft ? 1 : 0))),
    left_children: int32(nodes.map(({ left }) => left)),
    right_children: int32(nodes.map(({ right }) => right)),
    split_conditions: Float32Array.from(nodes.map(({ one }) => (typeof one === 'number' ? one : one.threshold))),
    split_indices: int32(splits.map((split) => split?.feature ?? 0)),
    split_type: Uint8Array.from(splits.map((split) => (split?.categories ? 1 : 0))),
    tree_param: { num_feature: `${features}`, num_nodes: `${nodes.length}`, size_leaf_vector: '0' },
  };
}

/** Returns the document of a model. Its lists have the types that UBJSON writes. */
export function xgboostDocument(model: Model) {
  const { features, targets = 1, trees, objective = 'reg:squarederror', baseScore = '5E-1', dropout } = model;
  const forest = {
    gbtree_model_param: { num_parallel_tree: '1', num_trees: `${trees.length}` },
    tree_info: int32(trees.map((_, at) => at % targets)),
    trees: trees.map((tree) => treeDocument(tree, features)),
  };
  const best = model.bestIteration;
  return {
    learner: {
      attributes: best === undefined ? {} : { best_iteration: `${best}` },
      feature_names: [],
      gradient_booster:
        dropout === undefined
          ? { model: forest, name: 'gbtree' }
          : { gbtree: { model: forest, name: 'gbtree' }, name: 'dart', weight_drop: Float32Array.from(dropout) },
      learner_model_param: {
        base_score: baseScore,
        num_class: targets > 1 ? `${targets}` : '0',
        num_feature: `${features}`,
        num_target: '1',
      },
      objective: { name: objective },
    },
    version: [2, 0, 3],
  };
}

/** Writes a document as JSON, which has no typed lists. */
export const asJson = (document: object): string =>
  JSON.stringify(document, (_, value) => (ArrayBuffer.isView(value) ? Array.from(value as Float32Array) : value));

/**
 * Writes a document as XGBoost's UBJSON: counted texts, and typed lists with lengths of 64 bits in
 * big-endian order.
 */
export function asUbjson(value: unknown): Buffer {
  if (typeof value === 'string') return Buffer.concat([Buffer.from('S'), texted(value)]);
  if (typeof value === 'number') return Buffer.concat([Buffer.from('L'), long(value)]);
  if (ArrayBuffer.isView(value)) return typedList(value as Float32Array);
  if (Array.isArray(value))
    return Buffer.concat([Buffer.from('[#L'), long(value.length), ...value.map((one) => asUbjson(one))]);
  const entries = Object.entries(value as object).flatMap(([key, one]) => [texted(key), asUbjson(one)]);
  return Buffer.concat([Buffer.from('{'), ...entries, Buffer.from('}')]);
}

/** Returns a length of 64 bits. */
export function long(value: number): Buffer {
  const bytes = Buffer.alloc(8);
  bytes.writeBigInt64BE(BigInt(value));
  return bytes;
}

const texted = (text: string) => Buffer.concat([Buffer.from('L'), long(Buffer.byteLength(text)), Buffer.from(text)]);

function typedList(list: Float32Array | Int32Array | Uint8Array): Buffer {
  const size = list.BYTES_PER_ELEMENT;
  const marker = list instanceof Float32Array ? 'd' : size === 4 ? 'l' : 'U';
  const bytes = Buffer.alloc(list.length * size);
  list.forEach((value, at) => {
    if (marker === 'd') bytes.writeFloatBE(value, at * size);
    else bytes.writeIntBE(value, at * size, size);
  });
  return Buffer.concat([Buffer.from(`[$${marker}#L`), long(list.length), bytes]);
}

export const randomTree = (features: number, depth: number): fc.Arbitrary<Tree> => {
  const child = () => fc.constant(0).chain(() => randomTree(features, depth - 1));
  const leaf: fc.Arbitrary<Tree> = fc.float({ min: -8, max: 8, noNaN: true });
  if (depth === 0) return leaf;
  const common = { feature: fc.nat(features - 1), defaultLeft: fc.boolean(), left: child(), right: child() };
  const threshold = fc.oneof(fc.constantFrom(0, -0, 1, 3), fc.float({ noNaN: true, noDefaultInfinity: true }));
  const categories = fc.uniqueArray(fc.nat(40), { maxLength: 7 }).map((set) => set.sort((a, b) => a - b));
  return fc.oneof(
    { weight: 1, arbitrary: leaf },
    { weight: 4, arbitrary: fc.record({ ...common, threshold }) },
    { weight: 1, arbitrary: fc.record({ ...common, threshold: fc.constant(0), categories }) },
  );
};

export const randomValue = fc.oneof(
  fc.constantFrom(Number.NaN, 0, -0, -0.5, -1, 0.5, 3.7, 1e30, Infinity, -Infinity),
  fc.integer({ min: -2, max: 42 }),
  fc.float(),
);
