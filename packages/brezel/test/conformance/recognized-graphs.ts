import {
  type AttributeValue,
  DataType,
  makeGraph,
  makeNode,
  makeTensor,
  type NodeProto,
  type TensorProto,
  tensorInput,
} from '@brezel/onnx';
import type { ElementType } from './against-onnxruntime.js';

// Writes graphs as skl2onnx writes models for which Brezel has an operator. The graphs are built
// from numbers.

type Attributes = Readonly<Record<string, AttributeValue>>;

/** A graph with one input `x`, which is `[N, columns]` of float32. */
export interface Written {
  readonly columns: number;
  readonly nodes: readonly NodeProto[];
  readonly initializers: readonly TensorProto[];
  readonly outputs: Readonly<Record<string, ElementType>>;
}

/**
 * Writes constants and nodes one after another. Each method that adds one returns the name of its
 * value.
 */
export class GraphWriter {
  readonly nodes: NodeProto[] = [];
  readonly initializers: TensorProto[] = [];

  floats(dims: readonly number[], data: readonly number[]): string {
    return this.#constant(makeTensor(`c${this.initializers.length}`, 'float32', dims, Float32Array.from(data)));
  }

  ints(...data: readonly number[]): string {
    const name = `c${this.initializers.length}`;
    return this.#constant(makeTensor(name, 'int64', [data.length], BigInt64Array.from(data, BigInt)));
  }

  #constant(tensor: TensorProto): string {
    this.initializers.push(tensor);
    return tensor.name;
  }

  /**
   * Adds a node. Operators of ai.onnx.ml have the prefix `ml.`. `outputs` are the names of the
   * outputs, or their number. Returns the name of the last output.
   */
  node(
    operator: string,
    inputs: readonly string[],
    attributes: Attributes = {},
    outputs: readonly string[] | 1 | 2 = 1,
  ) {
    const isMl = operator.startsWith('ml.');
    const count = typeof outputs === 'number' ? outputs : outputs.length;
    const names = Array.from({ length: count }, (_, at) =>
      typeof outputs === 'number' ? `v${this.nodes.length}_${at}` : outputs[at]!,
    );
    this.nodes.push(makeNode(isMl ? operator.slice(3) : operator, inputs, names, attributes, isMl ? 'ai.onnx.ml' : ''));
    return names.at(-1)!;
  }

  cast(value: string, to: number, output?: string): string {
    return this.node('Cast', [value], { to: { i: to } }, output === undefined ? 1 : [output]);
  }

  written(columns: number, outputs: Readonly<Record<string, ElementType>>): Written {
    return { columns, nodes: this.nodes, initializers: this.initializers, outputs };
  }
}

/** Writes the products of all terms in the given order. With `bias`, the first output is 1. */
export function polynomial(columns: number, terms: readonly (readonly number[])[], bias: boolean): Written {
  const graph = new GraphWriter();
  const products = terms.map((term) =>
    graph.node('ReduceProd', [graph.node('ml.ArrayFeatureExtractor', ['x', graph.ints(...term)])], {
      axes: { ints: [1] },
    }),
  );
  const ones = () =>
    graph.node('ConstantOfShape', [graph.node('Shape', [products.at(-1)!])], {
      value: { t: makeTensor('', 'float32', [1], Float32Array.of(1)) },
    });
  graph.node('Concat', [...(bias ? [ones()] : []), ...products], { axis: { i: 1 } }, ['y']);
  return graph.written(columns, { y: 'float32' });
}

/** A tree of an isolation forest. A leaf has the number of its training samples. */
export type IsolationTree =
  | { readonly samples: number }
  | { readonly feature: number; readonly limit: number; readonly yes: IsolationTree; readonly no: IsolationTree };

interface TreeNode {
  readonly tree: IsolationTree;
  readonly depth: number;
  readonly children: readonly number[];
}

function inPreOrder(tree: IsolationTree, depth = 0, nodes: TreeNode[] = []): TreeNode[] {
  const children: number[] = [];
  nodes.push({ tree, depth, children });
  if ('samples' in tree) return nodes;
  for (const child of [tree.yes, tree.no]) {
    children.push(nodes.length);
    inPreOrder(child, depth + 1, nodes);
  }
  return nodes;
}

/**
 * Writes a regressor that returns the number of the leaf, from the features that the tree was
 * trained with.
 */
function leafOf(graph: GraphWriter, nodes: readonly TreeNode[], seen: readonly number[]): string {
  const ints = (of: (node: TreeNode, at: number) => number) => ({ ints: nodes.map(of) });
  const leaves = nodes.flatMap(({ tree }, at) => ('samples' in tree ? [at] : []));
  const features = graph.node('Gather', ['x', graph.ints(...seen)], { axis: { i: 1 } });
  return graph.node('ml.TreeEnsembleRegressor', [features], {
    n_targets: { i: 1 },
    nodes_treeids: ints(() => 0),
    nodes_nodeids: ints((_, at) => at),
    nodes_featureids: ints(({ tree }) => ('samples' in tree ? 0 : seen.indexOf(tree.feature))),
    nodes_modes: { strings: nodes.map(({ tree }) => ('samples' in tree ? 'LEAF' : 'BRANCH_LEQ')) },
    nodes_values: { floats: nodes.map(({ tree }) => ('samples' in tree ? 0 : tree.limit)) },
    nodes_truenodeids: ints(({ children }) => children[0] ?? 0),
    nodes_falsenodeids: ints(({ children }) => children[1] ?? 0),
    nodes_missing_value_tracks_true: ints(() => 0),
    target_treeids: { ints: leaves.map(() => 0) },
    target_nodeids: { ints: leaves },
    target_ids: { ints: leaves.map(() => 0) },
    target_weights: { floats: leaves },
  });
}

export interface IsolationOptions {
  readonly trees: readonly IsolationTree[];
  readonly columns: number;
  readonly expected: number;
  /** A change to the nodes of the path length, after which the pattern does not match. */
  readonly change?: 'two trees in one' | 'a row beside the leaf' | 'another base';
}

export function isolationForest({ trees, columns, expected, change }: IsolationOptions): Written {
  const graph = new GraphWriter();
  const constant = (value: number) => graph.floats([1], [value]);
  const [zero, one, minus, two] = [constant(0), constant(1), constant(-1), constant(2)];
  const column = graph.ints(-1, 1);
  const all = Array.from({ length: columns }, (_, at) => at);
  let before: string | undefined;
  const depths = trees.map((tree, number) => {
    const nodes = inPreOrder(tree);
    const leaves = nodes.flatMap(({ tree }, at) => ('samples' in tree ? [at] : []));
    const leaf = leafOf(graph, nodes, number % 2 === 0 ? all : all.toReversed());
    const byLeaf = (from: string, of: (node: TreeNode) => number) => {
      const encoded = graph.node('ml.LabelEncoder', [graph.cast(from, DataType.INT64)], {
        keys_int64s: { ints: leaves },
        values_floats: { floats: leaves.map((at) => of(nodes[at]!)) },
      });
      return graph.node('Reshape', [encoded, column]);
    };
    const samples = byLeaf(leaf, (node) => (node.tree as { samples: number }).samples);
    const depth = byLeaf(change === 'two trees in one' ? (before ?? leaf) : leaf, (node) => node.depth + 1);
    before = leaf;
    const isTwo = graph.cast(graph.node('Equal', [samples, two]), DataType.FLOAT);
    const isMore = graph.cast(graph.node('Greater', [samples, two]), DataType.FLOAT);
    const many = graph.node('Mul', [isMore, samples]);
    const less = graph.node('Add', [many, minus]);
    const share = graph.node('Div', [graph.node('Max', [less, zero]), graph.node('Max', [many, one])]);
    const harmonic = graph.node('Add', [graph.node('Log', [graph.node('Max', [less, one])]), constant(0.5772156649)]);
    const rest = graph.node('Add', [graph.node('Mul', [harmonic, two]), graph.node('Mul', [share, constant(-2)])]);
    const average = graph.node('Add', [isTwo, graph.node('Mul', [rest, isMore])]);
    const length = graph.node('Add', [graph.node('Add', [depth, average]), minus]);
    if (change !== 'a row beside the leaf') return length;
    return graph.node('Add', [length, graph.node('Gather', ['x', graph.ints(0)], { axis: { i: 1 } })]);
  });
  const sum = graph.node('Sum', depths);
  const exponent = graph.node('Neg', [graph.node('Div', [sum, graph.floats([1, 1], [expected])])]);
  const power = graph.node('Pow', [change === 'another base' ? constant(3) : two, exponent]);
  graph.node('Add', [graph.node('Neg', [power]), constant(0.5)], {}, ['scores']);
  const isOutlier = graph.cast(graph.node('Less', ['scores', zero]), DataType.INT64);
  graph.node('Add', [graph.node('Mul', [isOutlier, graph.ints(-2)]), graph.ints(1)], {}, ['label']);
  return graph.written(columns, { scores: 'float32', label: 'int64' });
}

export interface NeighborsOptions {
  readonly columns: number;
  /** The numbers of all training rows, one row after another. */
  readonly points: readonly number[];
  readonly targets: readonly number[];
  readonly neighbors: number;
  readonly metric: 'euclidean' | 'manhattan';
  /** The class of each training row, for votes. Without classes, the answer is the mean. */
  readonly classes?: readonly number[];
  readonly change?: 'the farthest' | 'a class twice' | 'no root';
}

/** Writes the indices of the nearest rows: a Scan over the training rows, and TopK. */
function nearest(graph: GraphWriter, { columns, points, neighbors, metric, change }: NeighborsOptions): string {
  const count = points.length / columns;
  const isEuclidean = metric === 'euclidean';
  const body = new GraphWriter();
  body.node('Identity', ['in'], {}, ['out']);
  const away = body.node('Sub', ['in', 'next']);
  const along = { axes: { ints: [1] }, keepdims: { i: 0 } };
  if (isEuclidean) body.node('ReduceSumSquare', [away], along, ['found']);
  else body.node('ReduceL1', [body.node('Abs', [away])], along, ['found']);
  const g = makeGraph({
    name: 'body',
    input: [tensorInput('in', DataType.FLOAT, ['M', columns]), tensorInput('next', DataType.FLOAT, [columns])],
    output: [tensorInput('out', DataType.FLOAT, ['M', columns]), tensorInput('found', DataType.FLOAT, ['M'])],
    node: body.nodes,
  });
  const attributes = { num_scan_inputs: { i: 1 }, body: { g } };
  const sums = graph.node('Scan', ['x', graph.floats([count, columns], points)], attributes, 2);
  const turned = graph.node('Transpose', [sums], { perm: { ints: [1, 0] } });
  const isRooted = isEuclidean && change !== 'no root';
  const distances = isRooted ? graph.node('Sqrt', [turned]) : turned;
  const largest = { largest: { i: change === 'the farthest' ? 1 : 0 }, sorted: { i: 1 } };
  return graph.node('TopK', [distances, graph.ints(neighbors)], largest, 2);
}

export function nearestNeighbors(options: NeighborsOptions): Written {
  const graph = new GraphWriter();
  const { columns, targets, neighbors, classes } = options;
  const flat = graph.node('Flatten', [nearest(graph, options)]);
  const found = graph.node('ml.ArrayFeatureExtractor', [graph.ints(...targets), flat]);
  const wanted = graph.node('Reshape', [found, graph.ints(-1, neighbors)]);
  if (classes === undefined) {
    graph.node('ReduceMean', [graph.cast(wanted, DataType.FLOAT)], { axes: { ints: [1] } }, ['y']);
    return graph.written(columns, { y: 'float32' });
  }
  const axis = graph.ints(1);
  const counts = classes.map((one) => {
    const asked = options.change === 'a class twice' ? classes[0]! : one;
    const isIt = graph.cast(graph.node('Equal', [wanted, graph.ints(asked)]), DataType.FLOAT);
    return graph.node('ReduceSum', [isIt, axis], { keepdims: { i: 1 } });
  });
  const votes = graph.node('Concat', counts, { axis: { i: 1 } });
  const place = graph.node('ArgMax', [votes], { axis: { i: 1 }, keepdims: { i: 0 } });
  graph.node('Div', [votes, graph.node('ReduceSum', [votes, axis], { keepdims: { i: 1 } })], {}, ['probabilities']);
  const label = graph.node('ml.ArrayFeatureExtractor', [graph.ints(...classes), place]);
  graph.node('Reshape', [label, graph.ints(-1)], {}, ['label']);
  return graph.written(columns, { label: 'int64', probabilities: 'float32' });
}

/** Writes labels and probabilities from joint log likelihoods. */
export function posterior(graph: GraphWriter, joint: string, classes: number): void {
  const best = graph.node('ArgMax', [joint], { axis: { i: 1 } });
  const labels = graph.ints(...Array.from({ length: classes }, (_, at) => 10 * at));
  graph.node('Reshape', [graph.node('ml.ArrayFeatureExtractor', [labels, best]), graph.ints(-1)], {}, ['label']);
  const all = graph.node('ReduceLogSumExp', [joint], { axes: { ints: [1] }, keepdims: { i: 0 } });
  const norm = graph.node('Reshape', [all, graph.ints(-1, 1)]);
  graph.node('Exp', [graph.node('Sub', [joint, norm])], {}, ['probabilities']);
}

export const posteriorOutputs = { label: 'int64', probabilities: 'float32' } as const;

export interface BayesOptions {
  readonly columns: number;
  readonly classes: number;
  /**
   * The parameters of the classes as a flat list. For Bernoulli and multinomial models, the list
   * has the numbers of all classes for feature 0, then for feature 1, and so on. For Gaussian
   * models, it has the numbers of all features for class 0, then for class 1, and so on.
   */
  readonly first: readonly number[];
  readonly second: readonly number[];
  readonly prior: readonly number[];
  readonly change?: 'a cube' | 'no posterior' | 'another half';
}

export function gaussianNaiveBayes({ columns, classes, first, second, prior, change }: BayesOptions): Written {
  const graph = new GraphWriter();
  const shape = [1, classes, columns];
  const repeated = graph.node('Reshape', ['x', graph.ints(-1, 1, columns)]);
  const away = graph.node('Sub', [repeated, graph.floats(shape, first)]);
  const square = graph.node('Pow', [away, graph.floats([], [change === 'a cube' ? 3 : 2])]);
  const scaled = graph.node('Div', [square, graph.floats(shape, second)]);
  const sum = graph.node('ReduceSum', [scaled, graph.ints(2)], { keepdims: { i: 0 } });
  const half = graph.node('Mul', [sum, graph.floats([], [change === 'another half' ? 0.25 : 0.5])]);
  const logs = graph.floats(
    [1, classes],
    prior.map((one) => one / 2),
  );
  const joint = graph.node('Add', [graph.floats([1, classes], prior), graph.node('Sub', [logs, half])]);
  posterior(graph, joint, classes);
  return graph.written(columns, posteriorOutputs);
}

export function bernoulliNaiveBayes({ columns, classes, first, second, prior, change }: BayesOptions): Written {
  const graph = new GraphWriter();
  const present = graph.cast(graph.node('Greater', ['x', graph.floats([1], [0])]), DataType.FLOAT);
  const bits = graph.node('Add', [graph.floats([1, columns], Array(columns).fill(0)), present]);
  const product = graph.node('MatMul', [bits, graph.floats([columns, classes], first)]);
  const part = graph.node('Add', [product, graph.floats([classes], second)]);
  const outputs = change === 'no posterior' ? ['y'] : 1;
  const joint = graph.node('Add', [part, graph.floats([1, classes], prior)], {}, outputs as 1);
  if (change === 'no posterior') return graph.written(columns, { y: 'float32' });
  posterior(graph, joint, classes);
  return graph.written(columns, posteriorOutputs);
}

/** Writes a matrix product plus the priors of the classes. */
export function multinomialNaiveBayes({ columns, classes, first, prior }: BayesOptions): Written {
  const graph = new GraphWriter();
  const product = graph.node('MatMul', ['x', graph.floats([columns, classes], first)]);
  posterior(graph, graph.node('Add', [product, graph.floats([1, classes], prior)]), classes);
  return graph.written(columns, posteriorOutputs);
}
