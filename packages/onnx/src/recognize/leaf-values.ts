import { Flow, type Forest, forestOf, numbersOf, renumberFeatures, selectColumns, treeEnsemble } from '@brezel/flour';
import { plainConstant } from '../rows/constant.js';
import { foldNode } from '../rows/fold.js';
import { type ConstantValue, dimsFor, type GraphValue, product, type RowValue } from '../rows/value.js';
import { constantOf, type Graph } from './graph.js';

/**
 * A value that depends only on the leaf that a row reaches in one tree, written as a table with a
 * number for each leaf.
 */
export interface LeafValues {
  /** The value of the graph that contains the index of the reached leaf. */
  readonly tree: RowValue;
  /**
   * One number for each leaf, in the order of the leaves. The tensor has the shape of the graph's
   * value, with one difference: the batch axis has one entry for each leaf instead of one for each
   * row.
   */
  readonly values: ConstantValue;
}

/**
 * Operators that compute each element separately. If they read a value that depends only on the
 * leaf, the importer runs them on the table of all leaves. Then they do not run for each row.
 */
const ofElements: ReadonlySet<string> = new Set(
  'Add Cast Div Equal Greater Identity LabelEncoder Less Log Max Min Mul Neg Reshape Sub'.split(' '),
);

/**
 * The largest number of nodes between a tree and a value that `leafValues` visits. skl2onnx writes
 * about fifteen.
 */
const MAX_DEPTH = 40;

const known = new WeakMap<RowValue, LeafValues | undefined>();

/**
 * Returns a value as a table with a number for each leaf of a tree. Returns undefined if the value
 * depends on anything else than one leaf. Remembers the result for each value.
 */
export function leafValues(value: RowValue, graph: Graph, depth = 0): LeafValues | undefined {
  if (known.has(value)) return known.get(value);
  const found = treeOf(value) ?? (depth < MAX_DEPTH ? computed(value, graph, depth) : undefined);
  known.set(value, found);
  return found;
}

/** Returns the forest that computes a value, or undefined if another operator computes it. */
export function forestBehind({ flow }: RowValue): Forest | undefined {
  const { operator, parameters } = flow.node;
  if (operator !== treeEnsemble) return undefined;
  return forestOf(
    Object.fromEntries(Object.entries(parameters).map(([name, { id }]) => [name, flow.context.store.get(id)])),
  );
}

function treeOf(value: RowValue): LeafValues | undefined {
  const forest = forestBehind(value);
  if (forest === undefined || forest.roots.length !== 1 || forest.base.length !== 1) return undefined;
  const { leafWeight, leafStart, base, mode } = forest;
  const leaves = leafWeight.length;
  // Counts the nodes with exactly one weight: `leafStart` grows by one after such a node.
  const steps = mode.reduce((count, _, node) => count + Number(leafStart[node + 1]! - leafStart[node]! === 1), 0);
  if (steps !== leaves || value.dims?.join() !== '1,1') return undefined;
  const data = leafWeight.map((weight) => 0 + weight + base[0]!);
  return { tree: value, values: plainConstant({ dtype: 'float32', shape: [leaves, 1], data }) };
}

function computed(value: RowValue, graph: Graph, depth: number): LeafValues | undefined {
  const node = graph.producer(value);
  if (node === undefined || !ofElements.has(node.operator) || node.outputs.length !== 1 || !isOne(value))
    return undefined;
  const inputs = node.inputs.map((input) => inputOf(input, graph, depth));
  const [first, ...others] = inputs.flatMap((input) => (input !== undefined && 'tree' in input ? [input] : []));
  if (first === undefined || inputs.includes(undefined) || others.some(({ tree }) => tree !== first.tree))
    return undefined;
  const leaves = first.values.tensor.data.length;
  const constants = inputs.map((input) => ('tree' in input! ? input.values : input!));
  const [values] = foldNode({ ...node, inputs: constants }) ?? [];
  const isByLeaf = values?.tensor.shape.join() === dimsFor(value.dims!, value.batch, leaves).join();
  return isByLeaf ? { tree: first.tree, values: values! } : undefined;
}

function inputOf(input: GraphValue | undefined, graph: Graph, depth: number): LeafValues | ConstantValue | undefined {
  if (input?.kind === 'row') return leafValues(input, graph, depth + 1);
  return constantOf(input) === undefined ? undefined : input;
}

/** Returns whether a row of the value has exactly one element. */
const isOne = ({ dims, batch }: RowValue) =>
  dims !== undefined && product(dims) === 1 && batch.before === 1 && batch.after === 1;

/**
 * If a forest reads a selection of columns, returns the vector from which the columns are selected.
 * Also returns a copy of the forest whose feature indices refer to this vector.
 */
export function overAllFeatures(tree: RowValue, forest: Forest): { features: Flow<'vector'>; forest: Forest } {
  const { context, node } = tree.flow;
  const flow = (from: typeof node) => new Flow<'vector'>(context, from);
  const features = node.inputs[0]!;
  if (features.operator !== selectColumns) return { features: flow(features), forest };
  const columns = numbersOf(context.store.get(features.parameters.columns!.id));
  const numbers = Int32Array.from(columns, Number);
  return { features: flow(features.inputs[0]!), forest: renumberFeatures(forest, numbers) };
}
