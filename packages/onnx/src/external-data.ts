import { onnxError } from './errors.js';
import type {
  AttributeProto,
  FunctionProto,
  GraphProto,
  ModelProto,
  NodeProto,
  SparseTensorProto,
  TensorProto,
} from './proto/schema.js';

/**
 * A function of the caller that returns the bytes of a file with weights. `location` is a path
 * relative to the folder of the model. It comes from the model file, so do not trust it: a function
 * that reads from a disk must reject paths outside the folder.
 */
export type ExternalData = (location: string) => Uint8Array;

const EXTERNAL = 1;

/**
 * Returns the model with the data of its external tensors, which stay in the buffers that
 * `externalData` returned. Without `externalData`, returns the model unchanged; an external tensor
 * then fails when an operator reads it.
 *
 * @throws ERR_ONNX_TENSOR for a position outside the external file.
 */
export function withExternalData(model: ModelProto, externalData: ExternalData | undefined): ModelProto {
  if (externalData === undefined) return model;
  const files = new Map<string, Uint8Array>();
  const read = (location: string) => {
    const known = files.get(location) ?? externalData(location);
    files.set(location, known);
    return known;
  };
  const tensor = (proto: TensorProto) => (proto.dataLocation === EXTERNAL ? located(proto, read) : proto);
  return {
    ...model,
    graph: model.graph && inGraph(model.graph, tensor),
    functions: model.functions.map((called): FunctionProto => ({ ...called, node: inNodes(called.node, tensor) })),
  };
}

type Change = (tensor: TensorProto) => TensorProto;

const inGraph = (graph: GraphProto, change: Change): GraphProto => ({
  ...graph,
  initializer: graph.initializer.map(change),
  sparseInitializer: graph.sparseInitializer.map((sparse) => inSparse(sparse, change)),
  node: inNodes(graph.node, change),
});

const inNodes = (nodes: readonly NodeProto[], change: Change): NodeProto[] =>
  nodes.map((node) =>
    node.attribute.some(
      ({ t, g, tensors, graphs, sparseTensor }) => t || g || sparseTensor || tensors.length > 0 || graphs.length > 0,
    )
      ? { ...node, attribute: node.attribute.map((attribute) => inAttribute(attribute, change)) }
      : node,
  );

const inAttribute = (attribute: AttributeProto, change: Change): AttributeProto => ({
  ...attribute,
  t: attribute.t && change(attribute.t),
  sparseTensor: attribute.sparseTensor && inSparse(attribute.sparseTensor, change),
  g: attribute.g && inGraph(attribute.g, change),
  tensors: attribute.tensors.map(change),
  graphs: attribute.graphs.map((graph) => inGraph(graph, change)),
});

const inSparse = (sparse: SparseTensorProto, change: Change): SparseTensorProto => ({
  ...sparse,
  values: sparse.values && change(sparse.values),
  indices: sparse.indices && change(sparse.indices),
});

/** Returns a tensor whose raw data are the bytes in the external file. */
function located(proto: TensorProto, read: ExternalData): TensorProto {
  const at = `tensor '${proto.name}'`;
  const entries = new Map(proto.externalData.map(({ key, value }) => [key, value]));
  const location = entries.get('location') ?? '';
  if (location === '') throw onnxError('ERR_ONNX_TENSOR', { expected: 'a location of its data', received: 'none', at });
  const bytes = read(location);
  const offset = readPosition(entries.get('offset') ?? '0', 'offset', at);
  const length = readPosition(entries.get('length') ?? `${Math.max(0, bytes.length - offset)}`, 'length', at);
  if (offset + length > bytes.length) {
    throw onnxError('ERR_ONNX_TENSOR', {
      expected: `bytes ${offset} to ${offset + length} of "${location}"`,
      received: `a file of ${bytes.length} bytes`,
      at,
      hint: 'the file with the weights is cut off, or belongs to another model',
    });
  }
  return { ...proto, rawData: bytes.subarray(offset, offset + length), dataLocation: 0, externalData: [] };
}

/** Parses the decimal offset or length of a tensor in an external file. */
function readPosition(text: string, what: string, at: string): number {
  const value = /^\d{1,16}$/.test(text) ? Number(text) : Number.NaN;
  if (Number.isSafeInteger(value)) return value;
  throw onnxError('ERR_ONNX_TENSOR', { expected: `${what} in bytes`, received: JSON.stringify(text), at });
}
