import type { Answer, AnswerElement } from 'brezel';
import { httpError } from '../errors.js';
import { elementsJson, valueJson } from '../json.js';
import { datatypes } from './datatypes.js';
import { axesOf, datatypeOf, type OutputPort } from './ports.js';
import type { InferenceRequest, RequestedOutput } from './request.js';

/** The body of a response: JSON, and binary tensors after it, if the client requested them. */
export interface InferenceResponse {
  readonly json: string;
  readonly binary: readonly Uint8Array[];
}

/**
 * Returns the outputs that a request wants. Call it before the prediction.
 * @throws ERR_HTTP_TENSOR for an output that the model does not have.
 */
export function requestedOutputs(
  { outputs, defaultForm }: Pick<InferenceRequest, 'outputs' | 'defaultForm'>,
  ports: readonly OutputPort[],
): readonly { readonly port: OutputPort; readonly form: RequestedOutput['form'] }[] {
  if (outputs === undefined) return ports.map((port) => ({ port, form: defaultForm }));
  return outputs.map(({ name, form }) => {
    const port = ports.find((candidate) => candidate.name === name);
    if (port !== undefined) return { port, form };
    const expected = `the outputs ${ports.map((one) => `"${one.name}"`).join(', ')}`;
    throw httpError('ERR_HTTP_TENSOR', { expected, received: JSON.stringify(name.slice(0, 100)) });
  });
}

/** Writes the response to an inference request. */
export function responseOfAnswers(
  version: string,
  id: string | undefined,
  wanted: ReturnType<typeof requestedOutputs>,
  answers: readonly Answer[],
): InferenceResponse {
  const at = version.lastIndexOf('@');
  const head = {
    model_name: version.slice(0, at),
    model_version: version.slice(at + 1),
    ...(id !== undefined && { id }),
  };
  const binary: Uint8Array[] = [];
  const outputs = wanted.map(({ port, form }) => {
    const { elements, shape } = tensorOf(port, answers);
    const datatype = datatypeOf(port.type);
    const fields = `"name":${JSON.stringify(port.name)},"shape":[${shape.join(',')}],"datatype":"${datatype}"`;
    const more = port.type.kind === 'map' ? { keys: JSON.stringify(port.type.keys) } : {};
    if (form === 'binary') {
      const bytes = datatypes.get(datatype)!.toBytes(elements);
      binary.push(bytes);
      return `{${fields},"parameters":${JSON.stringify({ ...more, binary_data_size: bytes.length })}}`;
    }
    const isBase64 = form === 'base64' && datatype === 'BYTES';
    const parameters = JSON.stringify(isBase64 ? { ...more, content_type: 'base64' } : more);
    const shown = isBase64 ? elements.map((text) => Buffer.from(text as string).toString('base64')) : elements;
    const isFloat = datatype === 'FP32' || datatype === 'FP64';
    const data = elementsJson(shown, isFloat);
    return `{${fields}${parameters === '{}' ? '' : `,"parameters":${parameters}`},"data":${data}}`;
  });
  return { json: `${JSON.stringify(head).slice(0, -1)},"outputs":[${outputs.join(',')}]}`, binary };
}

/** Returns the values of an output for all rows, in row-major order. */
function tensorOf(
  { name, type }: OutputPort,
  answers: readonly Answer[],
): { readonly elements: readonly AnswerElement[]; readonly shape: readonly number[] } {
  const values = answers.map((answer) => answer[name]!);
  const shape = [answers.length, ...axesOf(type)];
  if (type.kind === 'scalar') return { elements: values as readonly AnswerElement[], shape };
  if (type.kind === 'dictionary') return { elements: values.map((value) => valueJson(value, true)), shape };
  if (type.kind === 'map')
    return {
      elements: values.flatMap((value) => type.keys.map((key) => (value as Record<string, number>)[key]!)),
      shape,
    };
  if (type.kind === 'tokens') {
    const lists = values as readonly (readonly string[])[];
    const most = lists.reduce((length, list) => Math.max(length, list.length), 0);
    const padded = lists.flatMap((list) => [...list, ...new Array<string>(most - list.length).fill('')]);
    return { elements: padded, shape: [answers.length, most] };
  }
  const depth = type.kind === 'tensor' ? type.shape.length : 1;
  return { elements: (values as readonly unknown[]).flat(depth) as AnswerElement[], shape };
}
