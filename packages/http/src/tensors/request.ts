import { httpError } from '../errors.js';
import { type Datatype, datatypes, type Elements } from './datatypes.js';
import { binaryElements, jsonElements } from './elements.js';
import { shown } from './shown.js';

/** A tensor of a request. */
export interface InputTensor {
  readonly name: string;
  readonly shape: readonly number[];
  readonly elements: Elements;
}

export interface RequestedOutput {
  readonly name: string;
  /** `binary`: Triton's binary extension. `base64`: texts as base64. */
  readonly form: 'json' | 'base64' | 'binary';
}

/** A request of the Open Inference Protocol. */
export interface InferenceRequest {
  readonly id: string | undefined;
  readonly deadlineMs: number | undefined;
  readonly key: string | number | undefined;
  readonly inputs: readonly InputTensor[];
  /**
   * The outputs to return. If undefined, the response contains all outputs, in the form
   * `defaultForm`.
   */
  readonly outputs: readonly RequestedOutput[] | undefined;
  readonly defaultForm: RequestedOutput['form'];
}

/**
 * Checks the JSON of a request and reads its tensors.
 *
 * @param json the parsed JSON
 * @param binary the bytes after the JSON, which hold the binary tensors
 * @throws ERR_HTTP_REQUEST, ERR_HTTP_TENSOR, ERR_HTTP_BINARY
 */
export function parseRequest(json: unknown, binary: Uint8Array): InferenceRequest {
  const request = objectAt(json, 'the body');
  const parameters = parametersAt(request, 'the body');
  const rest = new BinaryTensors(binary);
  const inputs = listAt(request.inputs, 'inputs').map((input, index) => parseInput(input, `inputs[${index}]`, rest));
  rest.checkEnd();
  checkDistinct(inputs, 'inputs');
  const defaultForm = parameters.binary_data_output === true ? 'binary' : 'json';
  const outputs =
    request.outputs === undefined
      ? undefined
      : listAt(request.outputs, 'outputs').map((output, index) =>
          parseOutput(output, `outputs[${index}]`, defaultForm),
        );
  if (outputs !== undefined) checkDistinct(outputs, 'outputs');
  const { deadline_ms: deadlineMs, key } = parameters;
  if (request.id !== undefined && typeof request.id !== 'string') throw wrong('a text', request.id, 'id');
  if (deadlineMs !== undefined && !(typeof deadlineMs === 'number' && deadlineMs > 0))
    throw wrong('milliseconds above 0', deadlineMs, 'parameters.deadline_ms');
  if (key !== undefined && typeof key !== 'string' && typeof key !== 'number')
    throw wrong('a text or a number', key, 'parameters.key');
  return { id: request.id, deadlineMs, key, inputs, outputs, defaultForm };
}

/**
 * The bytes that follow the JSON of a request. The binary tensors are stored one after the other,
 * in the order of the JSON.
 */
class BinaryTensors {
  readonly #bytes: Uint8Array;
  #offset = 0;

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
  }

  take(size: unknown, at: string): Uint8Array {
    const left = this.#bytes.length - this.#offset;
    if (!Number.isSafeInteger(size) || (size as number) < 0 || (size as number) > left)
      throw httpError('ERR_HTTP_BINARY', {
        expected: `binary_data_size up to ${left}, the bytes that are left`,
        received: shown(size),
        at,
      });
    this.#offset += size as number;
    return this.#bytes.subarray(this.#offset - (size as number), this.#offset);
  }

  checkEnd(): void {
    const left = this.#bytes.length - this.#offset;
    if (left > 0) throw httpError('ERR_HTTP_BINARY', { received: `${left} bytes after the last tensor` });
  }
}

type Json = Readonly<Record<string, unknown>>;

function parseInput(value: unknown, at: string, binary: BinaryTensors): InputTensor {
  const input = objectAt(value, at);
  const name = nameAt(input, at);
  const where = `${at} (${shown(name)})`;
  const parameters = parametersAt(input, where);
  const datatype = datatypeAt(input.datatype, where);
  const shape = shapeAt(input.shape, where);
  if (parameters.binary_data_size === undefined) {
    const { content_type: contentType } = parameters;
    return { name, shape, elements: jsonElements(input.data, datatype, shape, contentType === 'base64', where) };
  }
  if (input.data !== undefined)
    throw httpError('ERR_HTTP_BINARY', { expected: 'data or binary_data_size', received: 'both', at: where });
  const bytes = binary.take(parameters.binary_data_size, where);
  return { name, shape, elements: binaryElements(bytes, datatype, shape, where) };
}

function parseOutput(value: unknown, at: string, defaultForm: RequestedOutput['form']): RequestedOutput {
  const output = objectAt(value, at);
  const { binary_data: binary, content_type: contentType } = parametersAt(output, at);
  const form = binary === true ? 'binary' : binary === false ? 'json' : defaultForm;
  return { name: nameAt(output, at), form: form === 'json' && contentType === 'base64' ? 'base64' : form };
}

function datatypeAt(value: unknown, at: string): Datatype {
  const datatype = typeof value === 'string' ? datatypes.get(value) : undefined;
  if (datatype !== undefined) return datatype;
  throw wrong([...datatypes.keys()].join(', '), value, `${at}.datatype`);
}

/** The largest number of axes of a tensor in a request. Models have far fewer axes. */
const MAX_AXES = 32;

function shapeAt(value: unknown, at: string): readonly number[] {
  const shape = listAt(value, `${at}.shape`);
  const isSize = (size: unknown) => Number.isSafeInteger(size) && (size as number) >= 0;
  if (shape.length > MAX_AXES) throw wrong(`at most ${MAX_AXES} axes`, shape.length, `${at}.shape`);
  for (const size of shape) if (!isSize(size)) throw wrong('sizes from 0 to 2^53', size, `${at}.shape`);
  return shape as readonly number[];
}

function objectAt(value: unknown, at: string): Json {
  if (value !== null && typeof value === 'object' && !Array.isArray(value)) return value as Json;
  throw wrong('an object', value, at);
}

function listAt(value: unknown, at: string): readonly unknown[] {
  if (Array.isArray(value)) return value;
  throw wrong('a list', value, at);
}

function parametersAt({ parameters }: Json, at: string): Json {
  return parameters === undefined ? {} : objectAt(parameters, `parameters of ${at}`);
}

function nameAt({ name }: Json, at: string): string {
  if (typeof name === 'string') return name;
  throw wrong('a text', name, `${at}.name`);
}

function checkDistinct(tensors: readonly { readonly name: string }[], at: string): void {
  const names = new Set<string>();
  for (const { name } of tensors) {
    if (names.has(name)) throw httpError('ERR_HTTP_REQUEST', { received: `"${name}" twice`, at });
    names.add(name);
  }
}

const wrong = (expected: string, value: unknown, at: string) =>
  httpError('ERR_HTTP_REQUEST', { expected, received: shown(value), at });
