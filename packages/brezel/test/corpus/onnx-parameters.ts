import { type NodeProto, readModel, readTensor } from '@brezel/onnx';
import type { Flow, Forest } from 'brezel';

/**
 * The parameters of a converted model as plain numbers. Programs that are written by hand use them.
 */
export class OnnxParameters {
  readonly #nodes: readonly NodeProto[];
  readonly #constants: ReadonlyMap<string, Float32Array<ArrayBuffer>>;

  constructor(bytes: Uint8Array) {
    const { graph } = readModel(bytes);
    this.#nodes = graph!.node;
    this.#constants = new Map(
      graph!.initializer.flatMap((tensor) => {
        const { data } = readTensor(tensor) as { data?: ArrayLike<number | bigint> };
        return data === undefined ? [] : [[tensor.name, Float32Array.from(data, Number)] as const];
      }),
    );
  }

  /** Returns the nodes of one operator, in the order of the file. */
  nodes(operator: string): NodeProto[] {
    return this.#nodes.filter((node) => node.opType === operator);
  }

  /** Returns the node that writes a value. */
  writer(value: string): NodeProto {
    return this.#nodes.find((node) => node.output.includes(value))!;
  }

  constant(name: string): Float32Array<ArrayBuffer> {
    return this.#constants.get(name)!;
  }

  /** Returns the constant input of a node. */
  operand(node: NodeProto): Float32Array<ArrayBuffer> {
    return this.constant(node.input.find((name) => this.#constants.has(name))!);
  }
}

const attribute = (node: NodeProto, name: string) => node.attribute.find((one) => one.name === name)!;
export const floatsOf = (node: NodeProto, name: string) => Float32Array.from(attribute(node, name).floats);
export const intsOf = (node: NodeProto, name: string) => Int32Array.from(attribute(node, name).ints, Number);
const stringOf = (node: NodeProto, name: string) => new TextDecoder().decode(attribute(node, name).s);
export const floatOf = (node: NodeProto, name: string) => attribute(node, name).f!;
const stringsOf = (node: NodeProto, name: string) => {
  const { strings } = attribute(node, name);
  return Array.from({ length: strings.length }, (_, at) => strings.text(at));
};

/** Transposes a matrix with `rows` rows and `columns` columns. */
export const turned = (values: ArrayLike<number>, rows: number, columns: number): number[] =>
  Array.from({ length: rows * columns }, (_, at) => values[(at % rows) * columns + Math.floor(at / rows)]!);

/** Applies the ONNX-ML operator Scaler. */
export function scaled(flow: Flow<'vector'>, node: NodeProto): Flow<'vector'> {
  return flow.arithmetic('subtract', floatsOf(node, 'offset')).arithmetic('multiply', floatsOf(node, 'scale'));
}

/**
 * Applies the ONNX-ML operator LinearClassifier with two classes and LOGISTIC, then the L1 norm.
 * Returns the probabilities of both classes.
 */
export function logisticPair(flow: Flow<'vector'>, node: NodeProto): Flow<'vector'> {
  const coefficients = floatsOf(node, 'coefficients');
  const weights = turned(coefficients, 2, coefficients.length / 2);
  return flow.logistic({ weights, bias: floatsOf(node, 'intercepts') }).normalize('l1');
}

/**
 * Returns a tree ensemble whose leaves have weights for classes or targets. Nodes are in the order
 * of the file.
 */
export function forestOf(node: NodeProto, weights: 'class' | 'target', targets: number): Forest {
  const trees = intsOf(node, 'nodes_treeids');
  const ids = intsOf(node, 'nodes_nodeids');
  const place = new Map(Array.from(trees, (tree, at) => [`${tree} ${ids[at]}`, at]));
  const childAt = (name: string) => {
    const children = intsOf(node, name);
    return trees.map((tree, at) => place.get(`${tree} ${children[at]}`)!);
  };
  const modes = ['BRANCH_LEQ', 'BRANCH_LT', 'BRANCH_GTE', 'BRANCH_GT', 'BRANCH_EQ', 'BRANCH_NEQ', 'LEAF'];
  const [leafTrees, leafNodes] = [intsOf(node, `${weights}_treeids`), intsOf(node, `${weights}_nodeids`)];
  const [targetIds, leafWeights] = [intsOf(node, `${weights}_ids`), floatsOf(node, `${weights}_weights`)];
  const entries = Array.from(leafTrees, (tree, at) => ({
    node: place.get(`${tree} ${leafNodes[at]}`)!,
    target: targetIds[at]!,
    weight: leafWeights[at]!,
  })).toSorted((a, b) => a.node - b.node);
  return {
    feature: intsOf(node, 'nodes_featureids'),
    threshold: floatsOf(node, 'nodes_values'),
    mode: Int32Array.from(stringsOf(node, 'nodes_modes'), (mode) => modes.indexOf(mode)),
    trueChild: childAt('nodes_truenodeids'),
    falseChild: childAt('nodes_falsenodeids'),
    missingTrue: intsOf(node, 'nodes_missing_value_tracks_true'),
    roots: Int32Array.from([...new Set(trees)], (tree) => trees.indexOf(tree)),
    leafStart: Int32Array.from({ length: trees.length + 1 }, (_, at) => entries.filter((one) => one.node < at).length),
    leafTarget: Int32Array.from(entries, (one) => one.target),
    leafWeight: Float32Array.from(entries, (one) => one.weight),
    base: new Float32Array(targets),
  };
}

/**
 * Counts words and word pairs of lower-cased text, as StringNormalizer, Tokenizer and
 * TfIdfVectorizer in mode TF do.
 */
export function counted(text: Flow<'text'>, model: OnnxParameters): Flow<'vector'> {
  const [normalizer, tokenizer, vectorizer] = ['StringNormalizer', 'Tokenizer', 'TfIdfVectorizer'].map(
    (operator) => model.nodes(operator)[0]!,
  ) as [NodeProto, NodeProto, NodeProto];
  const pool = stringsOf(vectorizer, 'pool_strings');
  const [, pairsFrom = pool.length] = intsOf(vectorizer, 'ngram_counts');
  const grams = pool.slice(0, pairsFrom).map((word) => [word]);
  for (let at = pairsFrom; at < pool.length; at += 2) grams.push(pool.slice(at, at + 2));
  const columns = intsOf(vectorizer, 'ngram_indexes');
  const vocabulary = grams.map((_, column) => grams[columns.indexOf(column)]!);
  return text
    .stringNormalize({ case: 'lower', stopWords: stringsOf(normalizer, 'stopwords'), caseSensitive: false })
    .tokenize({ by: { pattern: stringOf(tokenizer, 'tokenexp') } })
    .wordNgram({ vocabulary });
}
