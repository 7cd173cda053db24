import { dimension, withInputs } from './input-shapes.js';
import { readElements } from './proto/element-tensor.js';
import type { GraphProto, ModelProto, NodeProto, TensorProto } from './proto/schema.js';
import { domainOf } from './tensor-names.js';

/**
 * The number of columns that an input must have, because a node reads it: exactly this number, or
 * at least this number.
 */
interface Width {
  readonly columns: number;
  readonly isExact: boolean;
}

/**
 * Declares the number of columns of inputs with the shape `[?, ?]`. skl2onnx writes such shapes for
 * `FloatTensorType([None, None])`. The number follows from the weights of the nodes that read the
 * input. Trees and selections of columns determine only the minimum number; a warning then reports
 * it.
 *
 * Cost: O(nodes), and O(weights) of the nodes that read such an input. Models without such inputs
 * stay unchanged.
 */
export function withInputWidths(model: ModelProto, warn: (message: string) => void): ModelProto {
  const graph = model.graph;
  const open = new Set(graph?.input.filter(isOpen).map(({ name }) => name));
  if (graph === undefined || open.size === 0) return model;
  const widths = widthsOf(graph, open);
  if (widths.size === 0) return model;
  return withInputs(model, (input) => {
    const width = open.has(input.name) ? widths.get(input.name) : undefined;
    if (width === undefined) return input;
    if (!width.isExact)
      warn(
        `input "${input.name}" declares no number of columns: the model reads ${width.columns}; if rows have more, pass shapes: { ${JSON.stringify(input.name)}: [null, columns] } (--shape ${input.name}=N,COLUMNS)`,
      );
    const tensor = input.type!.tensorType!;
    const dim = [tensor.shape!.dim[0]!, dimension(width.columns)];
    return { ...input, type: { ...input.type!, tensorType: { ...tensor, shape: { dim } } } };
  });
}

function isOpen({ type }: GraphProto['input'][number]): boolean {
  const dim = type?.tensorType?.shape?.dim;
  return dim?.length === 2 && !(dim[1]!.dimValue !== undefined && dim[1]!.dimValue > 0);
}

/**
 * Returns the number of columns of each input in `open`, the inputs for which the file declares no
 * such number. The result omits an input if the nodes that read it do not determine the number.
 */
function widthsOf(graph: GraphProto, open: ReadonlySet<string>): Map<string, Width> {
  const constants = new Map(graph.initializer.map((tensor) => [tensor.name, tensor]));
  for (const { opType, output, attribute } of graph.node) {
    const value = opType === 'Constant' ? attribute.find(({ name }) => name === 'value')?.t : undefined;
    if (value !== undefined) constants.set(output[0]!, value);
  }
  // For each value that has as many columns as an input in `open`: the name of this input.
  const sources = new Map([...open].map((name) => [name, name]));
  const widths = new Map<string, Width>();
  for (const node of graph.node) {
    const read = node.input.find((name) => sources.has(name));
    if (read === undefined) continue;
    const source = sources.get(read)!;
    const operator = `${domainOf(node.domain)}.${node.opType}`;
    const width = Object.hasOwn(needs, operator) ? needs[operator]!(node, read, constants) : undefined;
    if (width !== undefined) widths.set(source, wider(widths.get(source), width));
    if (columnwise.has(operator) && node.input.every((name) => sources.has(name) || constants.has(name) || name === ''))
      sources.set(node.output[0]!, source);
  }
  return widths;
}

/**
 * Combines what two nodes require: an exact number of columns wins, otherwise the larger minimum.
 * If two exact numbers differ, the import fails later.
 */
function wider(known: Width | undefined, width: Width): Width {
  if (known === undefined || (width.isExact && !known.isExact)) return width;
  return known.isExact || known.columns >= width.columns ? known : width;
}

const exactly = (columns: number): Width | undefined =>
  Number.isSafeInteger(columns) && columns > 0 ? { columns, isExact: true } : undefined;
const atLeast = (columns: number): Width | undefined =>
  Number.isSafeInteger(columns) && columns > 0 ? { columns, isExact: false } : undefined;

type Constants = ReadonlyMap<string, TensorProto>;
type Need = (node: NodeProto, read: string, constants: Constants) => Width | undefined;

const floats = ({ attribute }: NodeProto, name: string) => attribute.find((one) => one.name === name)?.floats;
const ints = ({ attribute }: NodeProto, name: string) => attribute.find((one) => one.name === name)?.ints;
const int = ({ attribute }: NodeProto, name: string, otherwise: number) => {
  const found = attribute.find((one) => one.name === name);
  return found === undefined ? otherwise : Number(found.i ?? 0n);
};

/**
 * Returns a function that derives the number of columns from a node's attribute with one number for
 * each column. A list of one number applies to all columns, so it determines nothing.
 */
const columnLists =
  (...names: readonly string[]): Need =>
  (node) =>
    exactColumns(Math.max(...names.map((name) => floats(node, name)?.length || ints(node, name)?.length || 0)));

const exactColumns = (columns: number) => (columns > 1 ? exactly(columns) : undefined);

/**
 * Derives the number of columns of an input that an elementwise operator combines with a constant:
 * the size of the constant's last axis. A size of 1 determines nothing, because ONNX broadcasts it.
 */
const broadcast: Need = ({ input }, read, constants) => {
  const other = input.find((name) => name !== read && constants.has(name));
  const dims = other === undefined ? undefined : constants.get(other)!.dims;
  return exactColumns(dims?.at(-1) ?? 0);
};

/**
 * Returns a function that derives the number of columns of an input from a constant matrix by which
 * the input is multiplied: the size of the axis that `axisOf` returns.
 */
const product =
  (axisOf: (node: NodeProto) => number): Need =>
  (node, read, constants) => {
    const dims = node.input[0] === read ? constants.get(node.input[1] ?? '')?.dims : undefined;
    return dims?.length === 2 ? exactly(dims[axisOf(node)]!) : undefined;
  };

const trees =
  (features: string, modes: string): Need =>
  (node) => {
    const modesOf = node.attribute.find(({ name }) => name === modes)?.strings;
    let [greatest, index] = [-1, 0];
    for (const feature of ints(node, features) ?? []) {
      const isLeaf = modesOf !== undefined && index < modesOf.length && modesOf.text(index) === 'LEAF';
      if (!isLeaf) greatest = Math.max(greatest, Number(feature));
      index += 1;
    }
    return atLeast(greatest + 1);
  };

const supportVectors: Need = (node) => {
  const perClass = ints(node, 'vectors_per_class');
  const vectors =
    perClass === undefined ? int(node, 'n_supports', 0) : [...perClass].reduce((a, b) => a + Number(b), 0);
  return exactly((floats(node, 'support_vectors')?.length ?? 0) / vectors);
};

/**
 * Derives the number of columns of a classifier's input: the number of coefficients divided by the
 * number of rows of the coefficient matrix. The matrix has as many rows as intercepts. Without
 * intercepts, it has a row for each label. With two labels and without intercepts, it may have one
 * or two rows, so the number of columns stays unknown.
 */
const linearClassifier: Need = (node) => {
  const labels =
    node.attribute.find(({ name }) => name === 'classlabels_strings')?.strings.length ||
    ints(node, 'classlabels_ints')?.length ||
    1;
  const intercepts = floats(node, 'intercepts')?.length;
  if (!intercepts && labels === 2) return undefined;
  return exactly((floats(node, 'coefficients')?.length ?? 0) / (intercepts || labels));
};

/**
 * Derives the smallest number of columns with which a selection of columns works, from its indices.
 * Negative indices count from the end.
 */
const selected: Need = ({ input }, read, constants) => {
  const indices = input[0] === read ? constants.get(input[1] ?? '') : undefined;
  if (indices === undefined) return undefined;
  const values = Array.from(readElements(indices).data as ArrayLike<number | bigint>, Number);
  return values.length === 0 || values.some((value) => !(value >= 0)) ? undefined : atLeast(Math.max(...values) + 1);
};

const needs: Readonly<Record<string, Need>> = {
  'ai.onnx.ml.Scaler': columnLists('offset', 'scale'),
  'ai.onnx.ml.Imputer': columnLists('imputed_value_floats', 'imputed_value_int64s'),
  'ai.onnx.ml.LinearRegressor': (node) =>
    exactly((floats(node, 'coefficients')?.length ?? 0) / int(node, 'targets', 1)),
  'ai.onnx.ml.LinearClassifier': linearClassifier,
  'ai.onnx.ml.SVMClassifier': supportVectors,
  'ai.onnx.ml.SVMRegressor': supportVectors,
  'ai.onnx.ml.TreeEnsembleClassifier': trees('nodes_featureids', 'nodes_modes'),
  'ai.onnx.ml.TreeEnsembleRegressor': trees('nodes_featureids', 'nodes_modes'),
  'ai.onnx.ml.TreeEnsemble': trees('nodes_featureids', ''),
  'ai.onnx.ml.ArrayFeatureExtractor': selected,
  '.Gather': (node, read, constants) => (int(node, 'axis', 0) === 1 ? selected(node, read, constants) : undefined),
  '.MatMul': product(() => 0),
  '.Gemm': product((node) => (int(node, 'transB', 0) === 1 ? 1 : 0)),
  'com.microsoft.CDist': (node, read, constants) =>
    exactColumns(node.input[0] === read ? (constants.get(node.input[1] ?? '')?.dims.at(-1) ?? 0) : 0),
  ...Object.fromEntries(['Add', 'Sub', 'Mul', 'Div', 'Pow', 'Greater', 'Less'].map((name) => [`.${name}`, broadcast])),
};

/** Operators whose first output has as many columns as their inputs. */
const columnwise: ReadonlySet<string> = new Set([
  ...['Identity', 'Cast', 'Neg', 'Abs', 'Exp', 'Log', 'Sqrt', 'Relu', 'Sigmoid', 'Tanh', 'Clip', 'Round', 'Floor'].map(
    (name) => `.${name}`,
  ),
  ...['Add', 'Sub', 'Mul', 'Div', 'Pow', 'Max', 'Min'].map((name) => `.${name}`),
  ...['Scaler', 'Normalizer', 'Imputer', 'Binarizer'].map((name) => `ai.onnx.ml.${name}`),
]);
