import type { NumericArrays, NumericDType } from '@brezel/core';
import { BytesList } from './bytes-list.js';
import { create } from './descriptor.js';
import { IntList } from './int-list.js';
import {
  type AttributeProto,
  AttributeType,
  attributeProto,
  DataType,
  type FunctionProto,
  functionProto,
  type GraphProto,
  graphProto,
  type MapProto,
  type ModelProto,
  mapProto,
  modelProto,
  type NodeProto,
  nodeProto,
  operatorSetIdProto,
  type SequenceProto,
  sequenceProto,
  type TensorProto,
  type TypeProto,
  tensorProto,
  typeProto,
  type ValueInfoProto,
  valueInfoProto,
} from './schema.js';

// Builders of model files for tests and benchmarks, in the manner of Python's onnx.helper.

/**
 * The value of an attribute in an object with one key: the protobuf field of its type. A plain `1`
 * could be an integer or a float.
 */
export type AttributeValue =
  | { readonly f: number }
  | { readonly i: number | bigint }
  | { readonly s: string | Uint8Array }
  | { readonly t: TensorProto }
  | { readonly g: GraphProto }
  | { readonly tp: TypeProto }
  | { readonly floats: Iterable<number> }
  | { readonly ints: Iterable<number | bigint> }
  | { readonly strings: BytesList | readonly (string | Uint8Array)[] }
  | { readonly tensors: readonly TensorProto[] }
  | { readonly graphs: readonly GraphProto[] }
  /** Inside the body of a function: a reference to the function's attribute of this name. */
  | { readonly ref: string; readonly type: number };

/**
 * Returns an attribute of a node. The key of the value is its type.
 *
 * @example makeAttribute('post_transform', { s: 'LOGISTIC' })
 */
export function makeAttribute(name: string, value: AttributeValue): AttributeProto {
  return create(attributeProto, { name, ...attributeFields(value) });
}

function attributeFields(value: AttributeValue): Partial<AttributeProto> {
  if ('ref' in value) return { type: value.type, refAttrName: value.ref };
  if ('f' in value) return { type: AttributeType.FLOAT, f: value.f };
  if ('i' in value) return { type: AttributeType.INT, i: BigInt(value.i) };
  if ('s' in value) return { type: AttributeType.STRING, s: new Uint8Array(Buffer.from(value.s)) };
  if ('t' in value) return { type: AttributeType.TENSOR, ...value };
  if ('g' in value) return { type: AttributeType.GRAPH, ...value };
  if ('tp' in value) return { type: AttributeType.TYPE_PROTO, ...value };
  if ('floats' in value) return { type: AttributeType.FLOATS, floats: Float32Array.from(value.floats) };
  if ('ints' in value) return { type: AttributeType.INTS, ints: IntList.of(value.ints) };
  if ('strings' in value) return { type: AttributeType.STRINGS, strings: bytesList(value.strings) };
  if ('tensors' in value) return { type: AttributeType.TENSORS, ...value };
  return { type: AttributeType.GRAPHS, ...value };
}

const bytesList = (values: BytesList | readonly (string | Uint8Array)[]): BytesList =>
  values instanceof BytesList ? values : BytesList.of(values);

/**
 * Returns a node of a graph.
 *
 * @example makeNode('Scaler', ['x'], ['y'], { offset: { floats: [1] }, scale: { floats: [2] } }, 'ai.onnx.ml')
 */
export function makeNode(
  opType: string,
  input: readonly string[],
  output: readonly string[],
  attributes: Readonly<Record<string, AttributeValue>> = {},
  domain = '',
): NodeProto {
  const attribute = Object.entries(attributes).map(([name, value]) => makeAttribute(name, value));
  return create(nodeProto, { opType, input, output, attribute, domain });
}

const tensorFields = {
  float32: (data) => ({ dataType: DataType.FLOAT, floatData: data }),
  float64: (data) => ({ dataType: DataType.DOUBLE, doubleData: data }),
  int64: (data) => ({ dataType: DataType.INT64, int64Data: data }),
  int32: (data) => ({ dataType: DataType.INT32, int32Data: data }),
  bool: (data) => ({ dataType: DataType.BOOL, int32Data: Int32Array.from(data) }),
} satisfies { [D in NumericDType]: (data: NumericArrays[D]) => Partial<TensorProto> };

/**
 * Returns a tensor of numbers, stored in the field of its type. For other element types and raw
 * data, use `create(tensorProto, { ... })`.
 */
export function makeTensor<D extends NumericDType>(
  name: string,
  dtype: D,
  dims: readonly number[],
  data: NumericArrays[D],
): TensorProto {
  const fields = tensorFields[dtype] as (data: NumericArrays[D]) => Partial<TensorProto>;
  return create(tensorProto, { name, dims, ...fields(data) });
}

/** Returns a tensor of strings. */
export function makeStringTensor(name: string, dims: readonly number[], data: readonly string[]): TensorProto {
  return create(tensorProto, { name, dims, dataType: DataType.STRING, stringData: BytesList.of(data) });
}

/**
 * Returns a map in the form of ONNX test data, with one tensor for each key. Either all keys are
 * texts, or all are integers.
 * @example makeMap('x', ['a'], [makeTensor('', 'float32', [], Float32Array.of(1))])
 */
export function makeMap(
  name: string,
  keys: readonly string[] | readonly bigint[],
  tensorValues: readonly TensorProto[],
): MapProto {
  const values = create(sequenceProto, { elemType: TENSORS, tensorValues });
  const texts = keys.filter((key) => typeof key === 'string');
  if (texts.length > 0)
    return create(mapProto, { name, keyType: DataType.STRING, stringKeys: BytesList.of(texts), values });
  return create(mapProto, { name, keyType: DataType.INT64, keys: BigInt64Array.from(keys as bigint[]), values });
}

/** Returns a sequence of maps in the form of ONNX test data. ZipMap returns such a sequence. */
export const makeMaps = (name: string, mapValues: readonly MapProto[]): SequenceProto =>
  create(sequenceProto, { name, elemType: MAPS, mapValues });

/** Values of `elemType` from the enumeration SequenceProto.DataType. */
const [TENSORS, MAPS] = [1, 4];

/**
 * Returns a graph input that is a map.
 *
 * @example mapInput('x', DataType.STRING, DataType.FLOAT)
 */
export function mapInput(name: string, keyType: number, valueType: number): ValueInfoProto {
  const value = create(typeProto, { tensorType: { elemType: valueType, shape: undefined } });
  return create(valueInfoProto, { name, type: create(typeProto, { mapType: { keyType, valueType: value } }) });
}

/**
 * Returns an input or output of a graph. A dimension is a size, a name, or undefined.
 * @example tensorInput('x', DataType.FLOAT, ['N', 4])
 */
export function tensorInput(
  name: string,
  elemType: number,
  shape: readonly (number | string | undefined)[],
): ValueInfoProto {
  const dim = shape.map((size) => ({
    dimValue: typeof size === 'number' ? size : undefined,
    dimParam: typeof size === 'string' ? size : undefined,
    denotation: '',
  }));
  return create(valueInfoProto, { name, type: create(typeProto, { tensorType: { elemType, shape: { dim } } }) });
}

/**
 * Returns an input or output that is a sequence of values of the given type.
 * @example sequenceOf(tensorInput('x', DataType.FLOAT, ['n']))
 */
export const sequenceOf = (value: ValueInfoProto): ValueInfoProto => ({
  ...value,
  type: create(typeProto, { sequenceType: { elemType: value.type } }),
});

/**
 * Returns an input or output of ONNX's type `optional`, which may contain a value of the given
 * type.
 * @example optionalOf(tensorInput('x', DataType.FLOAT, ['n']))
 */
export const optionalOf = (value: ValueInfoProto): ValueInfoProto => ({
  ...value,
  type: create(typeProto, { optionalType: { elemType: value.type } }),
});

/** Returns a graph. Each node must follow the nodes whose outputs it reads. */
export function makeGraph(parts: Partial<GraphProto>): GraphProto {
  return create(graphProto, { name: 'graph', ...parts });
}

/**
 * Returns a function of a model. Nodes call it by domain and name.
 *
 * @example makeFunction('local', 'Twice', { input: ['x'], output: ['y'], node: [makeNode('Add', ['x', 'x'], ['y'])] })
 */
export function makeFunction(
  domain: string,
  name: string,
  parts: Partial<FunctionProto>,
  opsets: Readonly<Record<string, number>> = { '': 17 },
): FunctionProto {
  return create(functionProto, { domain, name, opsetImport: opsetImports(opsets), ...parts });
}

const opsetImports = (opsets: Readonly<Record<string, number>>) =>
  Object.entries(opsets).map(([domain, version]) => create(operatorSetIdProto, { domain, version }));

/**
 * Returns a model with a graph and the version of each operator set.
 * @example makeModel(graph, { '': 17, 'ai.onnx.ml': 3 })
 */
export function makeModel(
  graph: GraphProto,
  opsets: Readonly<Record<string, number>> = { '': 17, 'ai.onnx.ml': 3 },
  parts: Partial<ModelProto> = {},
): ModelProto {
  return create(modelProto, {
    irVersion: 8,
    producerName: 'brezel',
    graph,
    opsetImport: opsetImports(opsets),
    ...parts,
  });
}
