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
} from '@brezel/oip';
import type { InferParameter, ModelInferRequest } from '../generated/inference_pb.js';
import { typedElements } from './contents.js';

/**
 * Checks a ModelInferRequest and reads its tensors.
 * @throws a ProtocolError of kind REQUEST, TENSOR, BINARY or ROWS
 */
export function inferenceRequest(message: ModelInferRequest, maxRows: number): InferenceRequest {
  const { id, inputs, outputs, rawInputContents: raw } = message;
  if (raw.length > 0 && raw.length !== inputs.length)
    throw protocolError('BINARY', {
      expected: `${inputs.length} entries, one for each input`,
      received: `${raw.length}`,
      at: 'raw_input_contents',
    });
  checkDistinct(inputs, 'inputs');
  checkDistinct(outputs, 'outputs');
  const parameters = Object.entries(message.parameters).map(([name, parameter]) => [name, parameterValue(parameter)]);
  return {
    id: id === '' ? undefined : id,
    ...requestParameters(Object.fromEntries(parameters)),
    inputs: inputs.map((input, index) => inputTensor(input, raw[index], maxRows, index)),
    outputs: outputs.length === 0 ? undefined : outputs,
  };
}

function inputTensor(
  { name, datatype: datatypeName, shape: sizes, contents }: ModelInferRequest['inputs'][number],
  raw: Uint8Array | undefined,
  maxRows: number,
  index: number,
): InputTensor {
  const at = `inputs[${index}] (${shown(name)})`;
  const datatype = datatypeNamed(datatypeName, at);
  const shape = checkedShape(sizes.map(Number), at);
  if (raw === undefined) return { name, shape, elements: typedElements(contents, datatype, shape, at) };
  if (contents !== undefined)
    throw protocolError('BINARY', { expected: 'contents or raw_input_contents', received: 'both', at });
  return { name, shape, elements: binaryElements(raw, datatype, shape, at, maxRows) };
}

/**
 * Returns the value of a parameter. Integers beyond 2^53 stay bigints. The checks of parameters
 * reject every bigint.
 */
function parameterValue({ parameterChoice: { value } }: InferParameter): unknown {
  return typeof value === 'bigint' && Number.isSafeInteger(Number(value)) ? Number(value) : value;
}
