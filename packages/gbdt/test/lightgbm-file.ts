import fc from 'fast-check';

// Writes LightGBM's text format and computes its predictions, for tests of the importer. The code
// shares nothing with the importer.

export interface Split {
  readonly feature: number;
  readonly threshold: number;
  readonly defaultLeft: boolean;
  readonly missing: 'none' | 'zero' | 'nan';
  /** The categories that a node tests instead of a threshold. */
  readonly categories?: readonly number[];
  readonly left: Tree;
  readonly right: Tree;
}
export type Tree = Split | number;

export interface Model {
  readonly features: number;
  readonly targets: number;
  readonly trees: readonly Tree[];
  readonly objective?: string;
  readonly version?: string;
  readonly isAverage?: boolean;
}

const ZERO = Math.fround(1e-35);

/** Returns the value and the number of the leaf that a row reaches, as `Tree::Decision` does. */
export function walk(tree: Tree, row: readonly number[]): { value: number; leaf: number } {
  const leaves = leavesOf(tree);
  let at = tree;
  while (typeof at !== 'number') at = goesLeft(at, row[at.feature]!) ? at.left : at.right;
  return { value: at, leaf: leaves.indexOf(at) };
}

function goesLeft(split: Split, given: number): boolean {
  if (split.categories !== undefined) {
    const category = Math.trunc(given);
    return !Number.isNaN(given) && category >= 0 && split.categories.includes(category);
  }
  const value = Number.isNaN(given) && split.missing !== 'nan' ? 0 : given;
  if (split.missing === 'nan' && Number.isNaN(value)) return split.defaultLeft;
  if (split.missing === 'zero' && Math.abs(value) <= ZERO) return split.defaultLeft;
  return value <= split.threshold;
}

/** Returns the values of the leaves in the order of their numbers. All values are different. */
const leavesOf = (tree: Tree): number[] =>
  typeof tree === 'number' ? [tree] : [...leavesOf(tree.left), ...leavesOf(tree.right)];

/** Returns the file of a model. */
export function lightGbmText({ features, targets, trees, objective, version = 'v3', isAverage }: Model): string {
  const names = Array.from({ length: features }, (_, feature) => `f${feature}`);
  return [
    'tree',
    `version=${version}`,
    `num_class=${targets}`,
    `num_tree_per_iteration=${targets}`,
    `max_feature_idx=${features - 1}`,
    ...(objective === undefined ? [] : [`objective=${objective}`]),
    ...(isAverage ? ['average_output'] : []),
    `feature_names=${names.join(' ')}`,
    '',
    ...trees.flatMap((tree, at) => [`Tree=${at}`, ...treeLines(tree), '', '']),
    'end of trees',
    '',
  ].join('\n');
}

function treeLines(tree: Tree): string[] {
  const splits: Split[] = [];
  const children: [number, number][] = [];
  const leaves = leavesOf(tree);
  const number = (one: Tree): number => {
    if (typeof one === 'number') return ~leaves.indexOf(one);
    const split = splits.push(one) - 1;
    children.push([0, 0]);
    children[split] = [number(one.left), number(one.right)];
    return split;
  };
  number(tree);
  const sets = splits.filter(({ categories }) => categories !== undefined);
  const words = sets.map(({ categories }) => bitsOf(categories!));
  const starts = [0, ...words.map((_, at) => words.slice(0, at + 1).flat().length)];
  return [
    `num_leaves=${leaves.length}`,
    `num_cat=${sets.length}`,
    `split_feature=${splits.map(({ feature }) => feature).join(' ')}`,
    `threshold=${splits.map((split) => (split.categories ? sets.indexOf(split) : split.threshold)).join(' ')}`,
    `decision_type=${splits.map(decisionOf).join(' ')}`,
    `left_child=${children.map(([left]) => left).join(' ')}`,
    `right_child=${children.map(([, right]) => right).join(' ')}`,
    `leaf_value=${leaves.join(' ')}`,
    ...(sets.length > 0 ? [`cat_boundaries=${starts.join(' ')}`, `cat_threshold=${words.flat().join(' ')}`] : []),
    'shrinkage=1',
  ];
}

const decisionOf = ({ categories, defaultLeft, missing }: Split) =>
  (categories ? 1 : 0) + (defaultLeft ? 2 : 0) + 4 * ['none', 'zero', 'nan'].indexOf(missing);

function bitsOf(categories: readonly number[]): number[] {
  const words = new Array<number>(1 + Math.floor(Math.max(0, ...categories) / 32)).fill(0);
  for (const category of categories) words[category >> 5] = (words[category >> 5]! | (1 << (category & 31))) >>> 0;
  return words;
}

const thresholds = fc.oneof(
  fc.constantFrom(0, ZERO, -ZERO, 1e-35, -1e-35, 0.1, 1e300, -1e300, 3),
  fc.double({ noNaN: true, noDefaultInfinity: true }),
  fc.integer({ min: -4, max: 4 }),
);

/** Draws a tree with some splits. Its leaves are numbered later, so that all values differ. */
export const randomTree = (features: number, depth: number): fc.Arbitrary<Tree> =>
  depth === 0
    ? fc.constant(0)
    : fc.oneof(
        { weight: 1, arbitrary: fc.constant<Tree>(0) },
        {
          weight: 4,
          arbitrary: fc.record({
            feature: fc.nat(features - 1),
            threshold: thresholds,
            defaultLeft: fc.boolean(),
            missing: fc.constantFrom('none', 'zero', 'nan'),
            left: fc.constant(0 as Tree).chain(() => randomTree(features, depth - 1)),
            right: fc.constant(0 as Tree).chain(() => randomTree(features, depth - 1)),
          }),
        },
        {
          weight: 1,
          arbitrary: fc.record({
            feature: fc.nat(features - 1),
            threshold: fc.constant(0),
            defaultLeft: fc.boolean(),
            missing: fc.constantFrom('none', 'nan'),
            categories: fc.uniqueArray(fc.nat(70), { maxLength: 9 }),
            left: fc.constant(0 as Tree).chain(() => randomTree(features, depth - 1)),
            right: fc.constant(0 as Tree).chain(() => randomTree(features, depth - 1)),
          }),
        },
      );

/** Returns the tree with the leaf values 0.1, 1.1, 2.1, ... */
export function withLeaves(tree: Tree): Tree {
  let next = 0;
  const numbered = (one: Tree): Tree =>
    typeof one === 'number' ? next++ + 0.1 : { ...one, left: numbered(one.left), right: numbered(one.right) };
  return numbered(tree);
}

export const randomValue = fc.oneof(
  fc.constantFrom(Number.NaN, 0, -0, ZERO, -ZERO, 1e-35, 2e-35, -0.5, -1, 0.5, 3.7, 64, 1e300, Infinity, -Infinity),
  fc.integer({ min: -2, max: 72 }),
  fc.double(),
);
