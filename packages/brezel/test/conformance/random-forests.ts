import type { Forest } from '@brezel/flour';

const LEAF = 6;

/** The shape of a random forest. */
export interface ForestPlan {
  readonly name: string;
  readonly trees: number;
  /** The depth of the deepest leaf of each tree. */
  readonly depth: number;
  /** The probability that a node above that depth is a leaf. Default: 0.1. */
  readonly leafChance?: number;
  readonly features: number;
  readonly targets: number;
  /**
   * The weights of a leaf: one for target 0, one for the target of the tree, one for every target,
   * one for some targets, or several for one target.
   */
  readonly leaves: 'one' | 'of tree' | 'every' | 'some' | 'repeated';
  /** Branch modes: 0 LEQ, 1 LT, 2 GTE, 3 GT, 4 EQ, 5 NEQ. */
  readonly modes: readonly number[];
  /** The probability that a NaN takes the true branch. */
  readonly missing: number;
  /** The kernel that Oven should choose. */
  readonly kernel: 'perfect_forest' | 'linked_forest' | 'tree_ensemble';
}

const ordered = [0, 1, 2, 3];
const perfect = { kernel: 'perfect_forest', leaves: 'one', modes: [0], missing: 0, features: 6, targets: 1 } as const;
const linked = { ...perfect, kernel: 'linked_forest' } as const;
const general = { ...perfect, kernel: 'tree_ensemble' } as const;

export const forestPlans: readonly ForestPlan[] = [
  { ...perfect, name: 'no trees', trees: 0, depth: 0, targets: 2 },
  { ...linked, name: 'lone leaves', trees: 3, depth: 0 },
  { ...perfect, name: 'a stump', trees: 1, depth: 1 },
  { ...perfect, name: 'stumps of all orders', trees: 50, depth: 1, modes: ordered, missing: 0.5 },
  { ...perfect, name: 'one tree of depth 8', trees: 1, depth: 8, leafChance: 0 },
  { ...perfect, name: '100 x 6', trees: 100, depth: 6, leafChance: 0, features: 40 },
  { ...perfect, name: '37 x 7, all orders', trees: 37, depth: 7, modes: ordered, missing: 0.5, leafChance: 0.02 },
  { ...perfect, name: 'deeper than registers', trees: 5, depth: 9, leafChance: 0, features: 20 },
  { ...perfect, name: 'depths around registers', trees: 11, depth: 4, leafChance: 0, missing: 1 },
  { ...perfect, name: 'depth 5', trees: 13, depth: 5, leafChance: 0, modes: [1] },
  { ...perfect, name: '1000 trees', trees: 1000, depth: 3, features: 20, leafChance: 0 },
  { ...perfect, name: 'classes by tree', trees: 33, depth: 5, targets: 3, leaves: 'of tree', leafChance: 0.05 },
  { ...perfect, name: 'probabilities', trees: 21, depth: 6, targets: 5, leaves: 'every', leafChance: 0.05 },
  { ...perfect, name: 'some probabilities', trees: 21, depth: 6, targets: 3, leaves: 'some', leafChance: 0.05 },
  { ...perfect, name: 'one feature of many', trees: 9, depth: 3, features: 1, leafChance: 0 },
  { ...linked, name: 'a deep tree', trees: 1, depth: 20, leafChance: 0.3 },
  { ...linked, name: 'deep trees of all orders', trees: 23, depth: 20, leafChance: 0.3, modes: ordered, missing: 0.5 },
  { ...linked, name: 'deep probabilities', trees: 17, depth: 13, leafChance: 0.2, targets: 3, leaves: 'every' },
  { ...linked, name: 'deep classes by tree', trees: 18, depth: 14, leafChance: 0.25, targets: 4, leaves: 'of tree' },
  { ...linked, name: 'chains', trees: 12, depth: 60, leafChance: 0.5, features: 300, missing: 0.5 },
  { ...general, name: 'equality', trees: 11, depth: 5, modes: [0, 4, 5], missing: 0.5 },
  { ...general, name: 'leaves that add twice', trees: 9, depth: 4, targets: 2, leaves: 'repeated', modes: ordered },
];

/** The random generator mulberry32. The same seed gives the same test. */
export class Random {
  constructor(private state: number) {}
  next(): number {
    this.state = (this.state + 0x6d2b79f5) | 0;
    let t = Math.imul(this.state ^ (this.state >>> 15), this.state | 1);
    t = (t + Math.imul(t ^ (t >>> 7), t | 61)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
  }
  below(limit: number): number {
    return Math.floor(this.next() * limit);
  }
  pick<T>(from: readonly T[]): T {
    return from[this.below(from.length)]!;
  }
}

const ODD = [0, -0, Number.NaN, 1e-45, -1e-45, 1.17549435e-38, Infinity, -Infinity, 3.4028235e38, 1].map(Math.fround);
/**
 * Returns one of few distinct numbers, so that inputs often equal thresholds. Some are special
 * numbers.
 */
const anyNumber = (random: Random) =>
  random.next() < 0.15 ? random.pick(ODD) : Math.fround((random.below(41) - 20) / 10);

type Leaf = readonly (readonly [target: number, weight: number])[];

function randomLeaf(random: Random, plan: ForestPlan, tree: number): Leaf {
  const weight = () => Math.fround((random.next() - 0.5) * 10 ** (random.below(5) - 2));
  const all = Array.from({ length: plan.targets }, (_, target) => target);
  switch (plan.leaves) {
    case 'one':
      return [[0, random.next() < 0.05 ? random.pick(ODD) : weight()]];
    case 'of tree':
      return random.next() < 0.1 ? [] : [[tree % plan.targets, weight()]];
    case 'every':
      // Many trained leaves contain one class only, so equal lists of weights occur several times.
      return random.next() < 0.3 ? all.map((target) => [target, target ? 0 : 0.25]) : all.map((one) => [one, weight()]);
    case 'some':
      return all.filter(() => random.next() < 0.5).map((target) => [target, weight()]);
    default:
      return Array.from({ length: 3 }, () => [random.below(plan.targets), weight()]);
  }
}

/** Builds a random forest. The numbers of children are larger than the numbers of their parents. */
export function randomForest(random: Random, plan: ForestPlan): Forest {
  const nodes: { feature: number; threshold: number; mode: number; yes: number; no: number; missing: number }[] = [];
  const leaves: Leaf[] = [];
  /** The true branches from the root form a path that always reaches the full depth. */
  const grow = (left: number, tree: number, isSpine: boolean): number => {
    const at = nodes.length;
    const isLeaf = left === 0 || (!isSpine && random.next() < (plan.leafChance ?? 0.1));
    const feature = random.below(plan.features);
    nodes.push({ feature, threshold: anyNumber(random), mode: LEAF, yes: 0, no: 0, missing: 0 });
    leaves.push(isLeaf ? randomLeaf(random, plan, tree) : []);
    if (isLeaf) return at;
    const node = nodes[at]!;
    node.mode = random.pick(plan.modes);
    node.missing = random.next() < plan.missing ? 1 : 0;
    node.yes = grow(left - 1, tree, isSpine);
    node.no = grow(left - 1, tree, false);
    return at;
  };
  const roots = Array.from({ length: plan.trees }, (_, tree) => grow(plan.depth, tree, true));
  let start = 0;
  const entries = leaves.flat();
  return {
    feature: Int32Array.from(nodes, (node) => node.feature),
    threshold: Float32Array.from(nodes, (node) => node.threshold),
    mode: Int32Array.from(nodes, (node) => node.mode),
    trueChild: Int32Array.from(nodes, (node) => node.yes),
    falseChild: Int32Array.from(nodes, (node) => node.no),
    missingTrue: Int32Array.from(nodes, (node) => node.missing),
    roots: Int32Array.from(roots),
    leafStart: Int32Array.from([0, ...leaves.map((leaf) => (start += leaf.length))]),
    leafTarget: Int32Array.from(entries, ([target]) => target),
    leafWeight: Float32Array.from(entries, ([, weight]) => weight),
    base: Float32Array.from({ length: plan.targets }, () => anyNumber(random)).map((one) => (one === 0 ? 1 : one)),
  };
}

/**
 * Returns rows of numbers that are also thresholds, row-major. Every fourth row has no NaN, because
 * most rows of users have none.
 */
export function randomRows(random: Random, rows: number, features: number): Float32Array {
  return Float32Array.from({ length: rows * features }, (_, at) => {
    const number = anyNumber(random);
    return Math.floor(at / features) % 4 === 0 && Number.isNaN(number) ? 0.5 : number;
  });
}
