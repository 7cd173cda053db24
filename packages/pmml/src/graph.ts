import { type Aggregate, type Flow, type GeneralForest, LEAF, MEMBER } from '@brezel/flour';
import type { Budget } from './budget.js';

/** Comparisons of a value with a threshold, as modes of Flour's operator `forest`. */
export const LEQ = 0;
export const LT = 1;
export const GTE = 2;
export const GT = 3;
export const EQ = 4;
export const NEQ = 5;

/** A node of a graph. */
export type GraphNode = number;

/** A number that a leaf adds to a target. */
export type Weight = readonly [target: number, value: number];

/**
 * Writes decision graphs in the form of Flour's operator `forest`. Nodes are written from the
 * leaves to the roots, and a node may have several parents. So a predicate with many parts does not
 * repeat the nodes below it.
 */
export class Graph {
  readonly #budget: Budget;
  readonly #columns = new Map<Flow<'vector'>, number>();
  readonly #feature: number[] = [];
  readonly #threshold: number[] = [];
  readonly #mode: number[] = [];
  readonly #yes: number[] = [];
  readonly #no: number[] = [];
  readonly #missingTrue: number[] = [];
  readonly #weights: (readonly Weight[])[] = [];
  readonly #members: (readonly number[])[] = [];

  readonly #written = new Map<object, Map<string, GraphNode>>();

  constructor(budget: Budget) {
    this.#budget = budget;
  }

  get nodes(): number {
    return this.#mode.length;
  }

  /** Writes a leaf. */
  leaf(weights: readonly Weight[]): GraphNode {
    return this.#node(0, LEAF, 0, 0, 0, false, weights, []);
  }

  /** Writes a comparison with a threshold. If `missing`, a missing value takes the branch `yes`. */
  compare(
    value: Flow<'vector'>,
    mode: number,
    threshold: number,
    missing: boolean,
    yes: GraphNode,
    no: GraphNode,
  ): GraphNode {
    if (yes === no) return yes;
    return this.#node(this.#column(value), mode, threshold, yes, no, missing, [], []);
  }

  /** Writes a test of set membership. A missing value takes the branch `yes` if `missing`. */
  member(value: Flow<'vector'>, set: readonly number[], missing: boolean, yes: GraphNode, no: GraphNode): GraphNode {
    if (yes === no) return yes;
    return this.#node(this.#column(value), MEMBER, 0, yes, no, missing, [], [...new Set(set)]);
  }

  /** Writes a test for a missing value. */
  isMissing(value: Flow<'vector'>, yes: GraphNode, no: GraphNode): GraphNode {
    return this.compare(value, LT, Number.NEGATIVE_INFINITY, true, yes, no);
  }

  /**
   * Writes a selection by the exact value, as a binary search: `cases` maps values to nodes. Other
   * values take `other`.
   */
  select(
    value: Flow<'vector'>,
    cases: ReadonlyMap<number, GraphNode>,
    missing: GraphNode,
    other: GraphNode,
  ): GraphNode {
    const sorted = [...cases].sort(([a], [b]) => a - b);
    const search = (first: number, end: number): GraphNode => {
      if (first === end) return other;
      const middle = (first + end) >> 1;
      const [key, node] = sorted[middle]!;
      if (end - first === 1) return this.compare(value, EQ, key, false, node, other);
      return this.compare(value, LT, key, false, search(first, middle), search(middle, end));
    };
    return this.isMissing(value, missing, search(0, sorted.length));
  }

  /** Returns the node that an earlier call wrote for this part of the file and this key. */
  once(part: object, key: string, write: () => GraphNode): GraphNode {
    const nodes = this.#written.get(part) ?? new Map<string, GraphNode>();
    this.#written.set(part, nodes);
    const node = nodes.get(key) ?? write();
    nodes.set(key, node);
    return node;
  }

  #column(value: Flow<'vector'>): number {
    const known = this.#columns.get(value);
    if (known !== undefined) return known;
    const column = this.#columns.size;
    this.#columns.set(value, column);
    return column;
  }

  #node(
    feature: number,
    mode: number,
    threshold: number,
    yes: number,
    no: number,
    missing: boolean,
    weights: readonly Weight[],
    members: readonly number[],
  ): GraphNode {
    const node = this.nodes;
    this.#budget.elements(1 + weights.length + members.length, 'the nodes of trees');
    this.#feature.push(feature);
    this.#mode.push(mode);
    this.#threshold.push(threshold);
    this.#yes.push(yes);
    this.#no.push(no);
    this.#missingTrue.push(missing ? 1 : 0);
    this.#weights.push(weights);
    this.#members.push(members);
    return node;
  }

  /**
   * Returns a flow of the targets: for each target, the combination of the leaves that the roots
   * reach. `any` is a flow that the graph reads if it has no tests.
   */
  run(
    roots: readonly GraphNode[],
    base: readonly number[],
    any: Flow<'vector'>,
    aggregate: Aggregate = 'sum',
  ): Flow<'vector'> {
    const [first = any, ...others] = this.#columns.keys();
    if (this.#columns.size === 0) this.#missingTrue.fill(1); // so that `any` may be missing
    return first.concat(...others).forest(this.#forest(roots, base), aggregate);
  }

  /** Returns the forest. The operator needs parents before their children. */
  #forest(roots: readonly GraphNode[], base: readonly number[]): GeneralForest {
    const last = this.nodes - 1;
    const reversed = <T>(list: readonly T[]) => list.toReversed();
    const isLeaf = reversed(this.#mode).map((mode) => mode === LEAF);
    const children = (list: readonly number[]) =>
      Int32Array.from(reversed(list), (child, node) => (isLeaf[node] ? 0 : last - child));
    const weights = reversed(this.#weights);
    const members = reversed(this.#members);
    return {
      feature: Int32Array.from(reversed(this.#feature)),
      threshold: Float64Array.from(reversed(this.#threshold)),
      mode: Int32Array.from(reversed(this.#mode)),
      trueChild: children(this.#yes),
      falseChild: children(this.#no),
      missingTrue: Int32Array.from(reversed(this.#missingTrue)),
      roots: Int32Array.from(roots, (root) => last - root),
      leafStart: startsOf(weights),
      leafTarget: Int32Array.from(weights.flat(), ([target]) => target),
      leafWeight: Float64Array.from(weights.flat(), ([, weight]) => weight),
      base: Float64Array.from(base),
      memberStart: startsOf(members),
      members: Float64Array.from(members.flat()),
    };
  }
}

function startsOf(lists: readonly (readonly unknown[])[]): Int32Array {
  const starts = new Int32Array(lists.length + 1);
  lists.forEach((list, index) => (starts[index + 1] = starts[index]! + list.length));
  return starts;
}
