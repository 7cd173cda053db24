import {
  BinaryTensors,
  binaryElements,
  checkDistinct,
  checkedShape,
  datatypeNamed,
  datatypes,
  type Elements,
  elementsJson,
  jsonElements,
  listAt,
  nameAt,
  objectAt,
  ProtocolError,
  parametersAt,
  protocolError,
  splitBody,
} from '@brezel/oip';
import { type BackendTensor, type BackendTensors, elementArray, elementCount, int64Of } from 'brezel';
import type { HttpAnswer } from './connection.js';
import { externalError } from './errors.js';
import type { ExternalPort } from './schema.js';

/** The body of an inference request, and its headers. */
export interface InferRequest {
  readonly id: string;
  readonly rows: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
}

/** The header with the length of the JSON, if binary tensors follow the JSON. */
const JSON_LENGTH = 'inference-header-content-length';

export interface RequestParts {
  readonly id: string;
  readonly inputs: readonly ExternalPort[];
  readonly outputs: readonly ExternalPort[];
  readonly isBinary: boolean;
}

/** Some rows of tensors. */
export interface RowRange {
  readonly tensors: BackendTensors;
  readonly from: number;
  readonly to: number;
}

/** Writes the request for some rows. Copies the values of the rows. */
export function writeRequest(
  { id, inputs, outputs, isBinary }: RequestParts,
  ranges: readonly RowRange[],
): InferRequest {
  const rows = ranges.reduce((sum, { from, to }) => sum + to - from, 0);
  const binary: Uint8Array[] = [];
  const written = inputs.map(({ name, datatype, element, axes }) => {
    const size = elementCount(axes);
    const data = ranges.flatMap(({ tensors, from, to }) => valuesOf(tensors[name]!, from * size, to * size));
    const head = `"name":${JSON.stringify(name)},"shape":[${[rows, ...axes]}],"datatype":"${datatype}"`;
    if (!isBinary) return `{${head},"data":${elementsJson(data as never, element.startsWith('float'))}}`;
    const bytes = datatypes.get(datatype)!.toBytes(data);
    binary.push(bytes);
    return `{${head},"parameters":{"binary_data_size":${bytes.length}}}`;
  });
  const asked = JSON.stringify(outputs.map(({ name }) => ({ name })));
  const parameters = isBinary ? ',"parameters":{"binary_data_output":true}' : '';
  const json = Buffer.from(`{"id":"${id}","inputs":[${written}],"outputs":${asked}${parameters}}`);
  if (!isBinary) return { id, rows, headers: { 'content-type': 'application/json' }, body: json };
  const headers = { 'content-type': 'application/octet-stream', [JSON_LENGTH]: `${json.length}` };
  return { id, rows, headers, body: Buffer.concat([json, ...binary]) };
}

/** Returns some elements of a tensor as elements of the protocol. */
function valuesOf(tensor: BackendTensor, from: number, to: number): (number | bigint | boolean | string)[] {
  if (tensor.element === 'string') return tensor.data.slice(from, to).map((text) => text.toWellFormed());
  const data = Array.from(tensor.data.subarray(from, to) as ArrayLike<number | bigint>);
  return tensor.element === 'bool' ? data.map((value) => value !== 0) : data;
}

/**
 * Reads the answer to a request and checks it: the id, each requested output once, its datatype,
 * its shape and its number of rows.
 *
 * @param at the replica.
 * @throws ERR_EXTERNAL_ANSWER
 */
export function readAnswer(
  { body, headers }: HttpAnswer,
  { id, rows }: Pick<InferRequest, 'id' | 'rows'>,
  outputs: readonly ExternalPort[],
  at: string,
): Elements[] {
  try {
    const [json, bytes] = splitBody(body, headers[JSON_LENGTH]);
    const fields = objectAt(parsed(json), 'the body');
    if (fields.id !== id) throw wrong(`the id "${id}" of the request`, `id ${shownId(fields.id)}`, 'id');
    const binary = new BinaryTensors(bytes);
    const tensors = listAt(fields.outputs, 'outputs').map((entry, index) =>
      readTensor(entry, `outputs[${index}]`, binary),
    );
    binary.checkEnd();
    checkDistinct(tensors, 'outputs');
    return outputs.map((port) => elementsOf(port, rows, tensors));
  } catch (error) {
    if (!(error instanceof ProtocolError)) throw error;
    const { at: field = 'the body', ...details } = error.details;
    throw externalError('ERR_EXTERNAL_ANSWER', { ...details, at: `${at}, ${field}` });
  }
}

/** Describes an id for an error message. A hostile server may send an id of any type and length. */
const shownId = (id: unknown): string => (typeof id === 'string' ? JSON.stringify(id.slice(0, 60)) : typeof id);

const wrong = (expected: string, received: string, at: string) => protocolError('TENSOR', { expected, received, at });

function parsed(json: Uint8Array): unknown {
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(json));
  } catch (error) {
    throw wrong('JSON in UTF-8', (error as Error).message.slice(0, 200), 'the body');
  }
}

interface AnswerTensor {
  readonly name: string;
  readonly datatype: string;
  readonly shape: readonly number[];
  readonly elements: Elements;
}

function readTensor(entry: unknown, at: string, binary: BinaryTensors): AnswerTensor {
  const fields = objectAt(entry, at);
  const name = nameAt(fields, at);
  const where = `${at} (${JSON.stringify(name.slice(0, 60))})`;
  const datatype = datatypeNamed(fields.datatype, where);
  const shape = checkedShape(listAt(fields.shape, `${where}.shape`), where);
  const { binary_data_size: size, content_type: contentType } = parametersAt(fields, where);
  const elements =
    size === undefined
      ? jsonElements(fields.data, datatype, shape, contentType === 'base64', where)
      : binaryElements(binary.take(size, where), datatype, shape, where);
  return { name, datatype: datatype.name, shape, elements };
}

function elementsOf({ name, datatype, axes }: ExternalPort, rows: number, tensors: readonly AnswerTensor[]): Elements {
  const at = `output "${name}"`;
  const found = tensors.find((tensor) => tensor.name === name);
  if (found === undefined)
    throw wrong(
      at,
      tensors
        .map((tensor) => tensor.name)
        .join(', ')
        .slice(0, 200) || 'none',
      at,
    );
  if (found.datatype !== datatype) throw wrong(datatype, found.datatype, at);
  if (found.shape[0] !== rows) throw wrong(`${rows} rows`, `${found.shape[0] ?? 0} rows`, at);
  if (`${withoutOnes(found.shape.slice(1))}` !== `${withoutOnes(axes)}`)
    throw wrong(`shape [${[rows, ...axes].join(', ')}]`, `[${found.shape.join(', ')}]`, at);
  return found.elements;
}

/** Drops the axes of size 1, because servers write a number in a row as `[rows]` or `[rows, 1]`. */
const withoutOnes = (axes: readonly number[]) => axes.filter((size) => size !== 1);

/**
 * Joins several answers into the tensors of the outputs. Each answer has the elements of all
 * outputs.
 */
export const joinedTensors = (
  outputs: readonly ExternalPort[],
  answers: readonly (readonly Elements[])[],
): BackendTensors =>
  Object.fromEntries(
    outputs.map((port, output) => [
      port.name,
      joinedTensor(
        port,
        answers.map((answer) => answer[output]!),
      ),
    ]),
  );

/** Joins the elements of several answers into the tensor of an output. */
function joinedTensor({ element, axes }: ExternalPort, parts: readonly Elements[]): BackendTensor {
  const size = elementCount(axes);
  const length = parts.reduce((sum, part) => sum + part.length, 0);
  const shape = [length / size, ...axes];
  if (element === 'string') {
    const texts = parts.flatMap((part) => Array.from(part, (text) => textOf(text as string | Uint8Array)));
    return { element, shape, data: texts };
  }
  const data = elementArray(element, length) as { [index: number]: number | bigint };
  const convert = element === 'int64' ? int64Of : Number;
  let at = 0;
  for (const part of parts)
    for (let index = 0; index < part.length; index++) data[at++] = convert(part[index] as number);
  return { element, shape, data } as unknown as BackendTensor;
}

const textOf = (text: string | Uint8Array): string =>
  typeof text === 'string' ? text : Buffer.from(text.buffer, text.byteOffset, text.byteLength).toString();
