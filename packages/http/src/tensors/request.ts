import {
  BinaryTensors,
  binaryElements,
  checkDistinct,
  checkedShape,
  datatypeNamed,
  type InferenceRequest,
  type InputTensor,
  jsonElements,
  listAt,
  nameAt,
  objectAt,
  parametersAt,
  protocolError,
  requestParameters,
  shown,
  wrongRequest,
} from '@brezel/oip';

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
 * @throws a ProtocolError of kind REQUEST, TENSOR, BINARY or ROWS
 */
export function parseRequest(json: unknown, binary: Uint8Array, maxRows: number): JsonRequest {
  const request = objectAt(json, 'the body');
  const parameters = parametersAt(request, 'the body');
  const rest = new BinaryTensors(binary);
  const inputs = listAt(request.inputs, 'inputs').map((input, index) =>
    parseInput(input, `inputs[${index}]`, rest, maxRows),
  );
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

function parseInput(value: unknown, at: string, binary: BinaryTensors, maxRows: number): InputTensor {
  const input = objectAt(value, at);
  const name = nameAt(input, at);
  const where = `${at} (${shown(name)})`;
  const parameters = parametersAt(input, where);
  const datatype = datatypeNamed(input.datatype, where);
  const shape = checkedShape(listAt(input.shape, `${where}.shape`), where);
  if (parameters.binary_data_size === undefined) {
    const { content_type: contentType } = parameters;
    const isBase64 = contentType === 'base64';
    return { name, shape, elements: jsonElements(input.data, datatype, shape, isBase64, where, maxRows) };
  }
  if (input.data !== undefined)
    throw protocolError('BINARY', { expected: 'data or binary_data_size', received: 'both', at: where });
  const bytes = binary.take(parameters.binary_data_size, where);
  return { name, shape, elements: binaryElements(bytes, datatype, shape, where, maxRows) };
}

function parseOutput(value: unknown, at: string, defaultForm: RequestedOutput['form']): RequestedOutput {
  const output = objectAt(value, at);
  const { binary_data: binary, content_type: contentType } = parametersAt(output, at);
  const form = binary === true ? 'binary' : binary === false ? 'json' : defaultForm;
  return { name: nameAt(output, at), form: form === 'json' && contentType === 'base64' ? 'base64' : form };
}
