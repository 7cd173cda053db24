import { converted } from '../context.js';
import { damaged, unsupported } from '../errors.js';
import { Graph, type GraphNode, type Weight } from '../graph.js';
import { areOpposite, predicateOf, writePredicate } from '../predicate.js';
import { MISSING } from '../value.js';
import type { Element } from '../xml/element.js';
import { Classes } from './classes.js';
import { listedClasses, type ModelReader, type ModelUse } from './model.js';

/** Writes the leaves of a tree: for the score of a node, and for a missing prediction. */
export interface LeafWriter {
  readonly score: (node: Element) => readonly Weight[];
  readonly missing: readonly Weight[];
}

/** Reads a `TreeModel`. */
export const tree: ModelReader = (use) => {
  const { element, context } = use;
  const graph = new Graph(context.budget);
  if (element.choice('functionName', ['regression', 'classification']) === 'regression') {
    const root = writeTree(use, graph, numberLeaves);
    return { kind: 'regression', value: graph.run([root], [0], context.any) };
  }
  const classes = treeClasses(use, [element]);
  const root = writeTree(use, graph, classLeaves(classes));
  const answer = graph.run([root], new Array(classes.size + 1).fill(0), context.any);
  const all = Array.from({ length: classes.size }, (_, index) => index);
  return {
    kind: 'classification',
    classes: classes.names,
    probabilities: answer.selectColumns(all),
    label: answer.selectColumns([classes.size]),
  };
};

/** The leaves of a tree that predicts a number. */
export const numberLeaves: LeafWriter = {
  score: (node) => [[0, node.number('score')]],
  missing: [[0, MISSING]],
};

/** The leaves of a tree that predicts a class: the probability of each class, then its index. */
function classLeaves(classes: Classes): LeafWriter {
  return {
    score: (node) => {
      const probabilities = probabilitiesOf(node, classes);
      return [...probabilities, [classes.size, scoreOf(node, classes, probabilities)]];
    },
    missing: Array.from({ length: classes.size + 1 }, (_, target) => [target, MISSING] as const),
  };
}

/** Returns the classes of trees: those of the data dictionary, then those of the nodes. */
export function treeClasses(use: ModelUse, trees: readonly Element[]): Classes {
  const names: string[] = [...listedClasses(use)];
  const waiting = [...trees].reverse();
  for (let element = waiting.pop(); element !== undefined; element = waiting.pop()) {
    if (element.name === 'ScoreDistribution') names.push(element.required('value'));
    else if (element.name === 'Node' && element.has('score')) names.push(element.required('score'));
    for (let child = element.children.length - 1; child >= 0; child--) {
      const inner = element.children[child]!;
      if (inner.name === 'Node' || inner.name === 'ScoreDistribution') waiting.push(inner);
    }
  }
  const classes = new Classes(names);
  if (classes.size === 0) throw damaged(use.element.at, 'at least one class', 'none');
  return classes;
}

/** Returns the index of the class that a node predicts. */
export function scoreOf(node: Element, classes: Classes, probabilities: readonly Weight[]): number {
  const score = node.get('score');
  if (score !== undefined) return classes.place(score, node.at);
  const [first, ...others] = probabilities;
  if (first === undefined) throw damaged(node.at, 'a score', 'none');
  return others.reduce((best, one) => (one[1] > best[1] ? one : best), first)[0];
}

/**
 * Returns the probability of each class: as the file says, or the share of the training rows.
 * Without either, the class of the score has the probability 1.
 */
export function probabilitiesOf(node: Element, classes: Classes): readonly Weight[] {
  const distribution = node.all('ScoreDistribution');
  if (distribution.length === 0) {
    return node.has('score') ? [[scoreOf(node, classes, []), 1]] : [];
  }
  const isGiven = distribution[0]!.has('probability');
  const weights = distribution.map((entry) => entry.number(isGiven ? 'probability' : 'recordCount'));
  const sum = weights.reduce((total, weight) => total + weight, 0);
  if (!(sum > 0) || weights.some((weight) => weight < 0))
    throw damaged(node.at, 'a distribution with a positive sum', `${sum}`);
  return distribution.map((entry, index) => [
    classes.place(entry.required('value'), entry.at),
    isGiven ? weights[index]! : weights[index]! / sum,
  ]);
}

const missingStrategies = ['none', 'lastPrediction', 'nullPrediction', 'defaultChild'] as const;
const noTrueChild = ['returnNullPrediction', 'returnLastPrediction'] as const;

/**
 * Writes the tree of a `TreeModel` to a graph and returns its root.
 * @see Source: PMML 4.4, TreeModel, "Scoring procedure".
 */
export function writeTree(use: ModelUse, graph: Graph, leaves: LeafWriter): GraphNode {
  const { element: model } = use;
  converted(use.context, 'pmml:TreeModel', model.at);
  return new TreeWriter(use, graph, leaves).root(model.child('Node'));
}

class TreeWriter {
  readonly #use: ModelUse;
  readonly #graph: Graph;
  readonly #leaves: LeafWriter;
  readonly #strategy: (typeof missingStrategies)[number];
  readonly #returnsLast: boolean;
  readonly #missing: GraphNode;
  readonly #written = new Map<Element, GraphNode>();
  readonly #scores = new Map<Element, GraphNode>();

  constructor(use: ModelUse, graph: Graph, leaves: LeafWriter) {
    this.#use = use;
    this.#graph = graph;
    this.#leaves = leaves;
    this.#strategy = use.element.supported('missingValueStrategy', missingStrategies, 'none');
    this.#returnsLast =
      use.element.choice('noTrueChildStrategy', noTrueChild, 'returnNullPrediction') === 'returnLastPrediction';
    this.#missing = graph.leaf(leaves.missing);
  }

  root(node: Element): GraphNode {
    return this.#test(predicateOf(node), this.#node(node), this.#missing, this.#missing);
  }

  #test(predicate: Element, yes: GraphNode, no: GraphNode, unknown: GraphNode): GraphNode {
    const { context, scope } = this.#use;
    return writePredicate({ context, scope, graph: this.#graph }, predicate, { yes, no, unknown });
  }

  /** Writes the part of the tree that follows if the predicate of `node` is true. */
  #node(node: Element): GraphNode {
    const known = this.#written.get(node);
    if (known !== undefined) return known;
    const written = this.#use.context.budget.nested(node.at, () => this.#newNode(node));
    this.#written.set(node, written);
    return written;
  }

  #newNode(node: Element): GraphNode {
    if (node.find('Regression') ?? node.find('DecisionTree'))
      throw unsupported(node.at, 'an embedded Regression or DecisionTree');
    const children = node.all('Node');
    if (children.length === 0) return this.#score(node);
    const last = this.#returnsLast && isScored(node) ? this.#score(node) : this.#missing;
    const unknown = this.#unknown(node);
    let next = last;
    for (let index = children.length - 1; index >= 0; index--) {
      const child = children[index]!;
      const previous = index > 0 ? children[index - 1]! : undefined;
      // If the second of two opposite predicates is reached with a value, it is true.
      if (previous !== undefined && areOpposite(predicateOf(previous), predicateOf(child))) {
        next = this.#test(predicateOf(previous), this.#node(previous), this.#node(child), unknown ?? next);
        index--;
      } else next = this.#test(predicateOf(child), this.#node(child), next, unknown ?? next);
    }
    return next;
  }

  /**
   * Returns the node that follows if the predicate of a child is unknown. Returns undefined if the
   * next child follows.
   */
  #unknown(parent: Element): GraphNode | undefined {
    switch (this.#strategy) {
      case 'none':
        return undefined;
      case 'nullPrediction':
        return this.#missing;
      case 'lastPrediction':
        return isScored(parent) ? this.#score(parent) : this.#missing;
      case 'defaultChild':
        return this.#defaultChild(parent);
    }
  }

  #defaultChild(parent: Element): GraphNode {
    const id = parent.required('defaultChild');
    const child = parent.all('Node').find((one) => one.get('id') === id);
    if (child === undefined) throw damaged(`${parent.at}, defaultChild`, 'the id of a child', JSON.stringify(id));
    return this.#node(child);
  }

  #score(node: Element): GraphNode {
    const known = this.#scores.get(node);
    if (known !== undefined) return known;
    if (!isScored(node)) throw damaged(node.at, 'a score', 'none');
    const leaf = this.#graph.leaf(this.#leaves.score(node));
    this.#scores.set(node, leaf);
    return leaf;
  }
}

const isScored = (node: Element): boolean => node.has('score') || node.find('ScoreDistribution') !== undefined;
