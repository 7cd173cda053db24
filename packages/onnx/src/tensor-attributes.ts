import { type AttributeValue, printPort, type Tensor } from '@brezel/core';
import type { TensorAttributes } from '@brezel/tensors';
import { onnxError } from './errors.js';
import type { ImportBudget } from './import-budget.js';
import { decodeText } from './proto/bytes-list.js';
import { create } from './proto/descriptor.js';
import { readElements } from './proto/element-tensor.js';
import {
  type AttributeProto,
  AttributeType,
  type GraphProto,
  type TensorProto,
  valueInfoProto,
} from './proto/schema.js';
import { declaredPort } from './tensor-ports.js';

/**
 * For a node in the body of a function, the attributes that the caller of the function has set.
 * Undefined outside functions.
 */
export type FunctionAttributes = ReadonlyMap<string, AttributeProto> | undefined;

/**
 * Returns the attributes of a node. An attribute may refer to an attribute of the function. It then
 * gets the value that the caller of the function has set. If the caller has not set it, the
 * attribute is omitted.
 *
 * @throws ERR_ONNX_GRAPH for a reference outside a function; ERR_ONNX_UNSUPPORTED for a subgraph
 * that is passed to a function.
 */
export function boundAttributes(
  attributes: readonly AttributeProto[],
  bound: FunctionAttributes,
  at: string,
): AttributeProto[] {
  return attributes.flatMap((attribute) => {
    if (attribute.refAttrName === '') return [attribute];
    if (bound === undefined) {
      const received = `a reference to "${attribute.refAttrName}" outside a function`;
      throw onnxError('ERR_ONNX_GRAPH', { received, at });
    }
    const value = bound.get(attribute.refAttrName);
    if (value === undefined) return [];
    if (value.g === undefined) return [{ ...value, name: attribute.name }];
    throw onnxError('ERR_ONNX_UNSUPPORTED', { received: 'a subgraph handed to a function', at });
  });
}

/** The attributes of a node as plain data, and its subgraphs. */
export interface NodeAttributes {
  readonly attributes: TensorAttributes;
  readonly graphs: Readonly<Record<string, GraphProto>>;
}

/**
 * Reads the attributes of a node.
 * @throws ERR_ONNX_ATTRIBUTE for a type that tensor programs do not support; ERR_ONNX_TENSOR for an
 * invalid tensor.
 */
export function readNodeAttributes(
  protos: readonly AttributeProto[],
  at: string,
  budget: ImportBudget,
): NodeAttributes {
  const values: [string, AttributeValue | Tensor][] = [];
  const graphs: [string, GraphProto][] = [];
  for (const proto of protos) {
    // A list is decoded once, but the checks of a node read it at each use of its function or
    // subgraph.
    budget.steps(1 + proto.ints.length + proto.floats.length + proto.strings.length, at);
    const type = proto.type === AttributeType.UNDEFINED ? guessedType(proto) : proto.type;
    if (type === AttributeType.GRAPH && proto.g !== undefined) graphs.push([proto.name, proto.g]);
    else values.push([proto.name, attributeValue(proto, type, at, budget)]);
  }
  return { attributes: Object.fromEntries(values), graphs: Object.fromEntries(graphs) };
}

const decoded = new WeakMap<object, AttributeValue | Tensor>();

/**
 * Returns the decoded value of a part of the file. Decodes each part only once, even if several
 * functions or subgraphs read it.
 */
function once<T extends AttributeValue | Tensor>(part: object, decode: () => T): T {
  const known = decoded.get(part) ?? decode();
  decoded.set(part, known);
  return known as T;
}

/** Returns a tensor of the file, decoded once. */
export const readOnce = (proto: TensorProto, budget: ImportBudget): Tensor =>
  once(proto, () => {
    // Tensors may share one region of a file.
    budget.bytes(proto.rawData?.length ?? 0, `tensor '${proto.name}'`);
    return readElements(proto);
  });

/**
 * Returns the value of an attribute. If the file contains no value, returns 0, because protobuf 3
 * omits zeros. Integers beyond 2^53, such as the end of a slice, are rounded, because no size or
 * position is that large.
 */
function attributeValue(
  proto: AttributeProto,
  type: number,
  at: string,
  budget: ImportBudget,
): AttributeValue | Tensor {
  switch (type) {
    case AttributeType.INT:
      return Number(proto.i ?? 0n);
    case AttributeType.FLOAT:
      return proto.f ?? 0;
    case AttributeType.STRING:
      return proto.s === undefined ? '' : decodeText(proto.s);
    case AttributeType.INTS:
      return once(proto.ints, () => Array.from(proto.ints, Number));
    case AttributeType.FLOATS:
      return once(proto.floats, () => Array.from(proto.floats));
    case AttributeType.STRINGS:
      return once(proto.strings, () => proto.strings.texts());
    case AttributeType.TENSOR:
      if (proto.t !== undefined) return readOnce(proto.t, budget);
      break;
    // Only an absent value has this attribute, and no operator reads it.
    case AttributeType.TYPE_PROTO:
      return printPort(declaredPort(create(valueInfoProto, { type: proto.tp })));
  }
  const received = `type ${type}`;
  throw onnxError('ERR_ONNX_ATTRIBUTE', { expected: `attribute ${proto.name} of a known type`, received, at });
}

/**
 * Derives the type of an attribute from the field that contains its value, because files of IR
 * version 1 do not declare the type.
 */
function guessedType({ f, i, s, t, g, floats, ints, strings }: AttributeProto): number {
  if (t !== undefined) return AttributeType.TENSOR;
  if (g !== undefined) return AttributeType.GRAPH;
  if (s !== undefined) return AttributeType.STRING;
  if (i !== undefined) return AttributeType.INT;
  if (f !== undefined) return AttributeType.FLOAT;
  if (ints.length > 0) return AttributeType.INTS;
  if (strings.length > 0) return AttributeType.STRINGS;
  return floats.length > 0 ? AttributeType.FLOATS : AttributeType.INTS;
}

/** Returns the value of a Constant node. Integers stay bigint, so that they are exact. */
export function constantOf(protos: readonly AttributeProto[], at: string, budget: ImportBudget): Tensor {
  const [proto] = protos;
  const count = (list: { readonly length: number }) => [list.length];
  switch (protos.length === 1 ? proto?.name : undefined) {
    case 'value':
      if (proto!.t !== undefined) return readOnce(proto!.t, budget);
      break;
    case 'value_int':
      return { element: 'int64', shape: [], data: BigInt64Array.of(proto!.i ?? 0n) };
    case 'value_ints':
      return { element: 'int64', shape: count(proto!.ints), data: BigInt64Array.from(proto!.ints) };
    case 'value_float':
      return { element: 'float32', shape: [], data: Float32Array.of(proto!.f ?? 0) };
    case 'value_floats':
      return { element: 'float32', shape: count(proto!.floats), data: proto!.floats as Float32Array<ArrayBuffer> };
    case 'value_string':
      return { element: 'string', shape: [], data: [proto!.s === undefined ? '' : decodeText(proto!.s)] };
    case 'value_strings':
      return {
        element: 'string',
        shape: count(proto!.strings),
        data: once(proto!.strings, () => proto!.strings.texts()),
      };
  }
  throw onnxError('ERR_ONNX_ATTRIBUTE', {
    expected: 'one attribute: value, value_int, value_float, value_string or a list of these',
    received: protos.map(({ name }) => name).join(', ') || 'none',
    at,
  });
}
