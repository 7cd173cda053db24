import type { AnswerColumn, InputColumn, ValueType } from 'brezel';
import type { DatatypeName, Elements } from './datatypes.js';
import type { OutputTensor } from './outputs.js';
import { axesOf, datatypeOf, type OutputPort } from './ports.js';
import type { CheckedInputs } from './rows.js';

/** For each datatype of an input, the arrays of elements that can be a column without a copy. */
const COLUMNS: Partial<Record<DatatypeName, (elements: Elements) => boolean>> = {
  FP32: (elements) => elements instanceof Float32Array || elements instanceof Float64Array,
  FP64: (elements) => elements instanceof Float32Array || elements instanceof Float64Array,
  INT32: (elements) => elements instanceof Int32Array,
  INT64: (elements) => elements instanceof BigInt64Array,
  BYTES: (elements) => Array.isArray(elements),
};

/**
 * Returns the tensors of a request as columns for `predictColumns`. Returns undefined if a tensor
 * has another datatype than its input, or if an input is a dictionary.
 */
export function columnsOf({ present }: CheckedInputs): Readonly<Record<string, InputColumn>> | undefined {
  const isColumn = ({ port: { type }, tensor }: CheckedInputs['present'][number]) =>
    type.kind !== 'dictionary' && COLUMNS[datatypeOf(type)]?.(tensor.elements) === true;
  if (!present.every(isColumn)) return undefined;
  return Object.fromEntries(present.map(({ port, tensor }) => [port.name, tensor.elements as unknown as InputColumn]));
}

const isNumber = (type: ValueType): boolean =>
  (type.kind === 'scalar' || type.kind === 'vector') && type.dtype !== 'string';

/** Returns whether all outputs are numbers, so that `outputOfColumn` accepts their columns. */
export const areNumbers = (ports: readonly OutputPort[]): boolean => ports.every(({ type }) => isNumber(type));

/** Returns the column of an output as a tensor. */
export const outputOfColumn = ({ name, type }: OutputPort, rows: number, column: AnswerColumn): OutputTensor => ({
  name,
  datatype: datatypeOf(type),
  parameters: {},
  elements: column as unknown as OutputTensor['elements'],
  shape: [rows, ...axesOf(type)],
});
