import { dtypeOf, type InputPort, sizeOf } from '@brezel/core';
import type { ServedPlan } from '../../plans/registered-plan.js';
import { isOf } from '../rows/elements.js';
import { readError } from '../rows/row-errors.js';
import { isVectorRow, type Row } from '../rows/row-schema.js';
import type { RowKernels } from './native-kernels.js';
import { type NumberPort, type NumberRow, numberMemory } from './number-memory.js';

/**
 * Returns how the rows of a plan are read into pinned memory. Returns null if the addon cannot read
 * every input as numbers, or if an output is text.
 */
export function numberRowOf(plan: ServedPlan, kernels: RowKernels): NumberRow | null {
  const sizes = kernels.planNumbers(plan.planHandle!);
  const isExpected = (port: InputPort, at: number) => sizes?.[at] === (port.unused ? 0 : sizeOf(port.type));
  if (sizes === undefined || !plan.inputs.every(isExpected)) return null;
  const memory = numberMemory(kernels);
  let elements = 0;
  const ports = plan.inputs.map((port, at): NumberPort => {
    const size = sizes[at]!;
    const dtype = dtypeOf(port.type);
    const offset = elements;
    elements += size;
    return { port, size, offset, isScalar: port.type.kind === 'scalar', isFloat: dtype.startsWith('float') };
  });
  return { ports, names: new Set(plan.inputs.map(({ name }) => name)), elements, memory };
}

/**
 * Runs one row of numbers and returns its answer, which the next call overwrites. Returns undefined
 * if `isWritten` does not accept the row, or if another row is being read, because a getter of that
 * row calls this function. The caller then uses the general path, which also reports errors.
 *
 * @throws ERR_RUNTIME_INPUT if reading the row throws
 */
export function predictNumbers(
  plan: ServedPlan,
  { memory, ports, names, elements }: NumberRow,
  row: Row,
  kernels: RowKernels,
): Float64Array | undefined {
  if (memory.isReading) return undefined;
  memory.fit(elements, plan.width);
  memory.isReading = true;
  try {
    if (!isWritten(plan, ports, names, row, memory.input)) return undefined;
  } catch (error) {
    throw readError(error, 0);
  } finally {
    memory.isReading = false;
  }
  kernels.predictNumbers(plan.planHandle!, memory.pair!);
  return memory.output;
}

/**
 * Writes the numbers of a row to `input`. Returns false for any other row, for example with a text,
 * an unknown field, a list of another length, or a number that its input does not accept.
 */
function isWritten(
  plan: ServedPlan,
  ports: readonly NumberPort[],
  names: ReadonlySet<string>,
  row: Row,
  input: Float64Array,
): boolean {
  if (isVectorRow(plan.inputs, row)) return isListWritten(ports[0]!, row, input);
  if (typeof row !== 'object' || row === null || Array.isArray(row) || ArrayBuffer.isView(row)) return false;
  return isInOrder(ports, row, input) || isByName(ports, names, row, input);
}

type Fields = Readonly<Record<string, unknown>>;

/**
 * Writes a row whose fields have the order of the inputs. Returns false for other rows. V8 reads
 * fields faster in a loop over all fields than by their names.
 */
function isInOrder(ports: readonly NumberPort[], row: Fields, input: Float64Array): boolean {
  let at = 0;
  for (const name in row) {
    const port = ports[at];
    if (port === undefined || port.port.name !== name) return false;
    if (port.size > 0 && !isFieldWritten(port, row[name], input)) return false;
    at++;
  }
  return at === ports.length;
}

function isByName(ports: readonly NumberPort[], names: ReadonlySet<string>, row: Fields, input: Float64Array): boolean {
  for (const name in row) if (!names.has(name)) return false;
  for (let at = 0; at < ports.length; at++) {
    const port = ports[at]!;
    if (port.size > 0 && !isFieldWritten(port, row[port.port.name], input)) return false;
  }
  return true;
}

function isFieldWritten(port: NumberPort, value: unknown, input: Float64Array): boolean {
  if (typeof value !== 'number') return !port.isScalar && isListWritten(port, value, input);
  if (port.size !== 1 || !isNumber(port, value)) return false;
  input[port.offset] = value;
  return true;
}

const isNumber = ({ isFloat, port }: NumberPort, value: number) => isFloat || isOf(value, dtypeOf(port.type));

function isListWritten(port: NumberPort, list: unknown, input: Float64Array): boolean {
  if (Array.isArray(list)) return isArrayWritten(port, list, input);
  if (!port.isFloat) return false;
  if (list instanceof Float64Array || list instanceof Float32Array) {
    if (list.length !== port.size) return false;
    input.set(list, port.offset);
    return true;
  }
  return false;
}

function isArrayWritten(port: NumberPort, list: readonly unknown[], input: Float64Array): boolean {
  const { size, offset } = port;
  if (list.length !== size) return false;
  for (let at = 0; at < size; at++) {
    const value = list[at];
    if (typeof value !== 'number' || !isNumber(port, value)) return false;
    input[offset + at] = value;
  }
  return true;
}
