import {
  binaryElements,
  checkDistinct,
  checkedShape,
  datatypeNamed,
  type InferenceRequest,
  type InputTensor,
  protocolError,
  requestParameters,
  shown,
  wrongRequest,
} from '@brezel/oip';
import { jsonElements } from './json-elements.js';

export interface RequestedOutput {
  readonly name: string;
  /**
   * How the response contains the output. `json`: as JSON. `base64`: as JSON, with texts as base64.
   * `binary`: as bytes after the JSON (Triton's binary extension).
   */
  readonly form: 'json' | 'base64' | 'binary';
}

/** A request of the Open Inference Protocol in JSON. */
export interface JsonRequest extends InferenceRequest<RequestedOutput> {
  /** The form of the outputs if the request names no outputs. */
  readonly defaultForm: RequestedOutput['form'];
}

/**
 * Checks the JSON of a request and reads its tensors.
 *
 * @param json the parsed JSON
 * @param binary the bytes after the JSON, which hold the binary tensors
 * @throws a ProtocolError of kind REQUEST, TENSOR or BINARY
 */
export function parseRequest(json: unknown, binary: Uint8Array): JsonRequest {
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
  if (request.id !== undefined && typeof request.id !== 'string') throw wrongRequest('a text', request.id, 'id');
  return { id: request.id, ...requestParameters(parameters), inputs, outputs, defaultForm };
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
      throw protocolError('BINARY', {
        expected: `binary_data_size up to ${left}, the bytes that are left`,
        received: shown(size),
        at,
      });
    this.#offset += size as number;
    return this.#bytes.subarray(this.#offset - (size as number), this.#offset);
  }

  checkEnd(): void {
    const left = this.#bytes.length - this.#offset;
    if (left > 0) throw protocolError('BINARY', { received: `${left} bytes after the last tensor` });
  }
}

type Json = Readonly<Record<string, unknown>>;

function parseInput(value: unknown, at: string, binary: BinaryTensors): InputTensor {
  const input = objectAt(value, at);
  const name = nameAt(input, at);
  const where = `${at} (${shown(name)})`;
  const parameters = parametersAt(input, where);
  const datatype = datatypeNamed(input.datatype, where);
  const shape = checkedShape(listAt(input.shape, `${where}.shape`), where);
  if (parameters.binary_data_size === undefined) {
    const { content_type: contentType } = parameters;
    return { name, shape, elements: jsonElements(input.data, datatype, shape, contentType === 'base64', where) };
  }
  if (input.data !== undefined)
    throw protocolError('BINARY', { expected: 'data or binary_data_size', received: 'both', at: where });
  const bytes = binary.take(parameters.binary_data_size, where);
  return { name, shape, elements: binaryElements(bytes, datatype, shape, where) };
}

function parseOutput(value: unknown, at: string, defaultForm: RequestedOutput['form']): RequestedOutput {
  const output = objectAt(value, at);
  const { binary_data: binary, content_type: contentType } = parametersAt(output, at);
  const form = binary === true ? 'binary' : binary === false ? 'json' : defaultForm;
  return { name: nameAt(output, at), form: form === 'json' && contentType === 'base64' ? 'base64' : form };
}

function objectAt(value: unknown, at: string): Json {
  if (value !== null && typeof value === 'object' && !Array.isArray(value)) return value as Json;
  throw wrongRequest('an object', value, at);
}

function listAt(value: unknown, at: string): readonly unknown[] {
  if (Array.isArray(value)) return value;
  throw wrongRequest('a list', value, at);
}

function parametersAt({ parameters }: Json, at: string): Json {
  return parameters === undefined ? {} : objectAt(parameters, `parameters of ${at}`);
}

function nameAt({ name }: Json, at: string): string {
  if (typeof name === 'string') return name;
  throw wrongRequest('a text', name, `${at}.name`);
}
