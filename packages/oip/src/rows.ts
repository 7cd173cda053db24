import type { Row } from 'brezel';
import type { Element } from './datatypes.js';
import { protocolError } from './errors.js';
import { axesOf, datatypeOf, elementsOf, type InputPort, metadataOf } from './ports.js';
import type { InputTensor } from './request.js';

/** An input of a model, with the tensor of a request for this input. */
export interface PresentInput {
  readonly port: InputPort;
  readonly tensor: InputTensor;
}

/** The tensors of a request, whose names and shapes agree with the inputs of a model. */
export interface CheckedInputs {
  /** The inputs in the order of the model, without unused inputs that the request omits. */
  readonly present: readonly PresentInput[];
  /** The number of rows of each tensor. */
  readonly rows: number;
  /** The number of inputs of the model. */
  readonly inputs: number;
}

/**
 * Checks the names and shapes of the tensors of a request.
 *
 * @throws a ProtocolError of kind TENSOR for a tensor that is missing, unknown to the model, or of
 * a wrong shape; of kind ROWS for too many rows.
 */
export function checkedInputs(
  tensors: readonly InputTensor[],
  inputs: readonly InputPort[],
  maxRows: number,
): CheckedInputs {
  for (const { name } of tensors) checkKnown(name, inputs);
  const present = inputs.flatMap((port) => {
    const tensor = tensors.find(({ name }) => name === port.name);
    if (tensor === undefined && port.unused) return [];
    if (tensor === undefined) throw missing(port);
    checkShape(tensor, port);
    return [{ port, tensor }];
  });
  const first = tensors[0];
  if (first === undefined) throw protocolError('TENSOR', { expected: 'a tensor', received: 'no inputs' });
  const rows = rowCount(first);
  for (const tensor of tensors) checkRows(tensor, first, rows);
  if (rows > maxRows) throw tooManyRows(rows, maxRows);
  return { present, rows, inputs: inputs.length };
}

/** Converts the tensors of a request to rows. The runtime checks the values of the rows. */
export function rowsOf({ present, rows: count, inputs }: CheckedInputs): Row[] {
  const values = present.map(valuesOf);
  const [only, ...others] = present;
  // If a text is the only input of the model, a row can be the text itself. This is not possible
  // for a text in UTF-8 bytes, so the bytes become a field of an object.
  const isOneText = only !== undefined && others.length === 0 && inputs === 1 && isText(only.port);
  if (isOneText && typeof only.tensor.elements[0] === 'string')
    return Array.from({ length: count }, (_, row) => values[0]!(row) as string);
  return Array.from({ length: count }, (_, row) => {
    const fields: Record<string, unknown> = {};
    for (let input = 0; input < present.length; input++) fields[present[input]!.port.name] = values[input]!(row);
    return fields;
  });
}

const isText = ({ type }: InputPort) => type.kind === 'scalar' && type.dtype === 'string';

export const tooManyRows = (count: number, maxRows: number) =>
  protocolError('ROWS', { expected: `at most ${maxRows} rows`, received: `${count}` });

/** Checks that a tensor has the elements of the input for each row. */
function checkShape({ name, shape }: InputTensor, port: InputPort): void {
  if (shape.length > 0 && elementsOf(shape.slice(1)) === elementsOf(axesOf(port.type))) return;
  throw protocolError('TENSOR', {
    expected: `shape [${metadataOf(port).shape.join(', ')}]`,
    received: `[${shape.join(', ')}]`,
    at: `input "${name}"`,
    hint: 'the first axis holds the rows; -1 is any size',
  });
}

/** Returns a function that returns the value of one input in a row. */
function valuesOf({ port: { type }, tensor: { name, elements } }: PresentInput): (row: number) => unknown {
  const size = elementsOf(axesOf(type));
  if (type.kind === 'dictionary') return (row) => dictionaryOf(elements[row]!, name, row);
  if (type.kind === 'scalar' || size === 1) return (row) => elements[row];
  const slice = Array.isArray(elements)
    ? (start: number) => elements.slice(start, start + size)
    : (start: number) => (elements as unknown as Float64Array).subarray(start, start + size);
  return (row) => slice(row * size);
}

/**
 * Parses a dictionary. A request contains it as a text with a JSON object. The runtime checks its
 * entries.
 */
function dictionaryOf(element: Element, name: string, row: number): unknown {
  const text = element instanceof Uint8Array ? Buffer.from(element).toString() : element;
  try {
    return JSON.parse(text as string);
  } catch (cause) {
    const at = `input "${name}", row ${row}`;
    throw protocolError('TENSOR', { expected: 'a text with a JSON object', received: 'other text', at, cause });
  }
}

const rowCount = ({ shape }: InputTensor): number => shape[0] ?? 0;

function checkRows(tensor: InputTensor, first: InputTensor, count: number): void {
  if (rowCount(tensor) === count) return;
  throw protocolError('TENSOR', {
    expected: `${count} rows, as in "${first.name}"`,
    received: `${rowCount(tensor)}`,
    at: `input "${tensor.name}"`,
  });
}

function checkKnown(name: string, inputs: readonly InputPort[]): void {
  if (inputs.some((port) => port.name === name)) return;
  const expected = `the inputs ${inputs.map((port) => `"${port.name}"`).join(', ')}`;
  throw protocolError('TENSOR', { expected, received: JSON.stringify(name.slice(0, 100)) });
}

const missing = (port: InputPort) =>
  protocolError('TENSOR', {
    expected: `input "${port.name}" of ${datatypeOf(port.type)}`,
    received: 'nothing',
  });
