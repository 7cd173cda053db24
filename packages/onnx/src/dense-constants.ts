import { elementArray, elementCount, type Tensor } from '@brezel/core';
import { onnxError } from './errors.js';
import type { ImportBudget } from './import-budget.js';
import { elementOf, readElements, writeElements } from './proto/element-tensor.js';
import {
  type AttributeProto,
  AttributeType,
  type FunctionProto,
  type GraphProto,
  type ModelProto,
  type NodeProto,
  type SparseTensorProto,
  type TensorProto,
} from './proto/schema.js';

/**
 * Returns the model with dense initializers and constants instead of sparse ones, because operators
 * read dense tensors.
 *
 * @throws ERR_ONNX_TENSOR for invalid indices; ERR_ONNX_LIMIT if the dense tensors exceed the
 * import budget.
 */
export function withDenseConstants(model: ModelProto, budget: ImportBudget): ModelProto {
  const write = writer(budget);
  return {
    ...model,
    graph: model.graph && inGraph(model.graph, write),
    functions: model.functions.map((called): FunctionProto => ({ ...called, node: inNodes(called.node, write) })),
  };
}

type Write = (sparse: SparseTensorProto) => TensorProto;

const inGraph = (graph: GraphProto, write: Write): GraphProto => ({
  ...graph,
  initializer:
    graph.sparseInitializer.length === 0
      ? graph.initializer
      : [...graph.initializer, ...graph.sparseInitializer.map(write)],
  sparseInitializer: [],
  node: inNodes(graph.node, write),
});

const inNodes = (nodes: readonly NodeProto[], write: Write): readonly NodeProto[] =>
  nodes.map((node) =>
    node.attribute.some(({ g, graphs, sparseTensor }) => g || graphs.length > 0 || sparseTensor)
      ? { ...node, attribute: node.attribute.map((attribute) => inAttribute(attribute, write)) }
      : node,
  );

function inAttribute(attribute: AttributeProto, write: Write): AttributeProto {
  const { sparseTensor, g, graphs, type } = attribute;
  const inside = { ...attribute, g: g && inGraph(g, write), graphs: graphs.map((graph) => inGraph(graph, write)) };
  // `sparse_value` of Constant is the only ONNX attribute with a sparse tensor.
  const isSparse = attribute.name === 'sparse_value' && type === AttributeType.SPARSE_TENSOR;
  if (sparseTensor === undefined || !isSparse) return inside;
  return { ...inside, name: 'value', type: AttributeType.TENSOR, t: write(sparseTensor), sparseTensor: undefined };
}

/** Returns the bytes of an element in memory. Returns 8 for strings and unknown types. */
function elementBytes(dataType: number): number {
  const element = elementOf(dataType);
  return element === undefined || element === 'string' ? 8 : elementArray(element, 0).BYTES_PER_ELEMENT;
}

function writer(budget: ImportBudget): Write {
  return ({ values, indices, dims }) => {
    const at = `sparse tensor '${values?.name ?? ''}'`;
    const fault = (received: string, expected: string) => onnxError('ERR_ONNX_TENSOR', { expected, received, at });
    if (values === undefined) throw fault('no values', 'a tensor of values');
    const count = elementCount(dims);
    if (!(count >= 0) || dims.some((size) => !(size >= 0))) throw fault(`the shape [${dims}]`, 'sizes of 0 or greater');
    // Counted twice: once for the array, once for the bytes of the tensor.
    budget.list(count, at, 2 * elementBytes(values.dataType));
    const elements = readElements(values);
    if (elements.element === 'string') throw fault('string values', 'numeric values');
    const offsets =
      indices === undefined ? withoutIndices(elements, fault) : offsetsOf(readElements(indices), elements, dims, fault);
    const data = elementArray(elements.element, count) as Record<number, number | bigint>;
    offsets.forEach((offset, entry) => {
      data[offset] = elements.data[entry]!;
    });
    return writeElements(values.name, { element: elements.element, shape: dims, data } as unknown as Tensor);
  };
}

type Fault = (received: string, expected: string) => Error;

/**
 * Returns the empty list of offsets for a sparse tensor without values. Throws if it has values but
 * no indices.
 */
function withoutIndices({ data }: Tensor, fault: Fault): number[] {
  if (data.length === 0) return [];
  throw fault('no indices', `${data.length} indices, one per value`);
}

/**
 * Returns the offset of each value in the dense tensor. Throws unless the offsets are ascending and
 * different.
 */
function offsetsOf(indices: Tensor, values: Tensor, dims: readonly number[], fault: Fault): number[] {
  const count = values.data.length;
  const isFlat = indices.shape.length === 1;
  const wanted = isFlat ? [count] : [count, dims.length];
  if (indices.element !== 'int64' || indices.shape.join() !== wanted.join())
    throw fault(
      `indices ${indices.element}[${indices.shape}]`,
      `indices int64[${count}] or int64[${count},${dims.length}]`,
    );
  const read = (entry: number) => Number(indices.data[entry]);
  const offsetOf = (entry: number) =>
    dims.reduce((offset, size, axis) => {
      const index = read(entry * dims.length + axis);
      return index >= 0 && index < size ? offset * size + index : Number.NaN;
    }, 0);
  const offsets = Array.from({ length: count }, (_, entry) => (isFlat ? read(entry) : offsetOf(entry)));
  const size = elementCount(dims);
  const wrong = offsets.findIndex((offset, entry) => !(offset > (offsets[entry - 1] ?? -1) && offset < size));
  if (wrong < 0) return offsets;
  throw fault(`offset ${offsets[wrong]} as index ${wrong}`, 'ascending indices inside the shape');
}
