import {
  type ElementType,
  elementArray,
  elementCount,
  printPort,
  type Tensor,
  type TensorPort,
  type TensorValue,
} from '@brezel/core';
import { runtimeError } from '../../errors.js';

/** The inputs of one request by name. */
export type TensorInputs = Readonly<Record<string, TensorValue | undefined>>;

/**
 * Checks the tensors of a request against the inputs of a program, and puts them in the order of
 * the inputs.
 *
 * @throws ERR_RUNTIME_INPUT for an input that is missing or unknown, that has another element type,
 * rank or size, or whose data does not match its shape.
 */
export function admitTensors(ports: readonly TensorPort[], inputs: TensorInputs): (TensorValue | undefined)[] {
  if (inputs === null || typeof inputs !== 'object')
    throw runtimeError('ERR_RUNTIME_INPUT', { expected: 'an object of tensors by input', received: `${inputs}` });
  const names = new Set(ports.map(({ name }) => name));
  const extra = Object.keys(inputs).find((name) => !names.has(name));
  if (extra !== undefined) {
    const hint = `the program takes ${[...names].map((name) => `"${name}"`).join(', ')}; leave others out`;
    throw runtimeError('ERR_RUNTIME_INPUT', { received: `an extra input "${extra}"`, hint });
  }
  return ports.map((port) => {
    const value = Object.hasOwn(inputs, port.name) ? inputs[port.name] : undefined;
    if (value === undefined && port.optional) return undefined;
    return admitValue(port, value);
  });
}

function admitValue(port: TensorPort, value: TensorValue | undefined): TensorValue {
  const at = `input "${port.name}"`;
  const isSequence = value?.element === 'sequence';
  if (value === undefined || value === null || typeof value !== 'object' || isSequence !== (port.kind === 'sequence'))
    throw misfit(port, value === undefined ? 'nothing' : isSequence ? 'a sequence' : 'no such value', at);
  if (value.element !== 'sequence') return admitTensor(port, value, at);
  if (!Array.isArray(value.tensors)) throw misfit(port, 'a sequence without tensors', at);
  const tensors = value.tensors.map((tensor: Tensor, index) => admitTensor(port, tensor, `${at}[${index}]`));
  return { element: 'sequence', tensors };
}

/**
 * Checks a tensor. Returns the tensor with a private copy of its shape, and without lone surrogates
 * in its texts.
 */
function admitTensor(port: TensorPort, tensor: Tensor, at: string): Tensor {
  const { element, shape } = tensor;
  if (!isElement(element) || (port.element !== undefined && element !== port.element))
    throw misfit(port, `element type ${element}`, at);
  if (!isShape(shape)) throw misfit(port, 'no shape of sizes', at);
  const fits =
    port.shape === undefined ||
    (port.shape.length === shape.length &&
      port.shape.every((size, axis) => typeof size !== 'number' || size === shape[axis]));
  if (!fits) throw misfit(port, `shape [${shape.slice(0, SHOWN_SIZES)}]`, at);
  return { element, shape: [...shape], data: admitData(tensor, elementCount(shape), port, at) } as Tensor;
}

const SHOWN_SIZES = 16;

function admitData({ element, data }: Tensor, count: number, port: TensorPort, at: string): Tensor['data'] {
  const known = element === 'string' ? Array.isArray(data) : data instanceof elementArray(element, 0).constructor;
  if (!known) throw misfit(port, `data that is ${(data as object | null)?.constructor?.name ?? data}`, at);
  if (data.length !== count) throw misfit(port, `data of ${data.length} elements for ${count}`, at);
  if (element === 'bool' && (data as Uint8Array).some((flag) => flag > 1))
    throw misfit(port, 'data with other numbers than 0 and 1', at);
  return element === 'string' ? (data as readonly unknown[]).map((text) => admitText(text, port, at)) : data;
}

function admitText(text: unknown, port: TensorPort, at: string): string {
  if (typeof text === 'string') return text.toWellFormed();
  throw misfit(port, `${text === null ? 'null' : typeof text} among its strings`, at);
}

const isElement = (element: unknown): element is ElementType =>
  element === 'string' || (typeof element === 'string' && Object.hasOwn(elementNames, element));

const elementNames = {
  float32: true,
  float64: true,
  float16: true,
  bfloat16: true,
  int8: true,
  int16: true,
  int32: true,
  int64: true,
  uint8: true,
  uint16: true,
  uint32: true,
  uint64: true,
  bool: true,
  int4: true,
  uint4: true,
  int2: true,
  uint2: true,
  float8e4m3fn: true,
  float8e4m3fnuz: true,
  float8e5m2: true,
  float8e5m2fnuz: true,
  float8e8m0: true,
  float4e2m1: true,
} satisfies Record<Exclude<ElementType, 'string'>, true>;

const isShape = (shape: unknown): shape is readonly number[] =>
  Array.isArray(shape) &&
  shape.every((size) => Number.isSafeInteger(size) && size >= 0) &&
  Number.isSafeInteger(elementCount(shape));

const misfit = (port: TensorPort, received: string, at: string) =>
  runtimeError('ERR_RUNTIME_INPUT', {
    expected: printPort(port),
    received,
    at,
    hint: 'a tensor is { element, shape, data }; registered.inputs lists names, element types and shapes',
  });
