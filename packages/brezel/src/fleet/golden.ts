import { type CompiledPlan, type Dictionary, dtypeOf, type InputPort, type OutputPort } from '@brezel/core';
import type { Golden } from '@brezel/fleet-file';
import { type Answer, admit, type Column, type RegisteredPlan, type Row, type Runtime } from '@brezel/runtime';
import { fleetError } from './errors.js';

/** A difference between an answer of a plan and its packed answer. */
export interface GoldenDifference {
  readonly plan: string;
  readonly row: number;
  readonly output: string;
  readonly expected: string;
  readonly received: string;
}

/**
 * Runs rows and returns them with their answers as golden rows. The returned columns contain the
 * values as the runtime reads them: for example, texts without lone surrogates.
 */
export function recordGolden(runtime: Runtime, plan: RegisteredPlan, rows: readonly Row[]): Golden {
  const columns = admit(plan, rows).map(plainColumn);
  // record the converted rows, because `replay` runs them
  const recorded = rowsOf(plan.inputs, columns, rows.length);
  if (!hasNumbers(plan.outputs)) {
    const answers = recorded.map((row) => textOf(runtime.predictSync(plan, row)));
    return { rows: rows.length, columns, numbers: new Float64Array(0), answers };
  }
  const numbers = new Float64Array(rows.length * plan.width);
  recorded.forEach((row, index) => {
    runtime.predictSync(plan, row, numbers.subarray(index * plan.width, (index + 1) * plan.width));
  });
  return { rows: rows.length, columns, numbers, answers: [] };
}

/**
 * Runs the golden rows again.
 *
 * @returns every answer that differs in a bit. Any two NaN values are equal.
 */
export function replayGolden(runtime: Runtime, plan: RegisteredPlan, golden: Golden): GoldenDifference[] {
  const differences: GoldenDifference[] = [];
  const out = new Float64Array(plan.width);
  rowsOf(plan.inputs, golden.columns, golden.rows).forEach((values, row) => {
    const differ = (output: string, expected: string, received: string) =>
      differences.push({ plan: plan.name, row, output, expected, received });
    if (golden.answers.length > 0) {
      const [expected, received] = [golden.answers[row]!, textOf(runtime.predictSync(plan, values))];
      if (expected !== received) differ('', expected, received);
      return;
    }
    runtime.predictSync(plan, values, out);
    for (const { name, offset, length } of plan.outputs) {
      for (let index = offset; index < offset + length; index++) {
        const expected = golden.numbers[row * plan.width + index]!;
        if (!Object.is(expected, out[index])) differ(name, `${expected}`, `${out[index]}`);
      }
    }
  });
  return differences;
}

/** Converts the columns of golden rows to rows. */
export function rowsOf(
  inputs: readonly InputPort[],
  columns: Golden['columns'],
  count: number,
): Readonly<Record<string, unknown>>[] {
  return Array.from({ length: count }, (_, row) =>
    Object.fromEntries(
      inputs.map(({ name, type }, index) => {
        const column = columns[index]!;
        const size = count === 0 ? 0 : column.length / count;
        if (type.kind === 'dictionary') return [name, readDictionary(column[row] as string)];
        return [name, type.kind === 'scalar' ? column[row] : column.slice(row * size, (row + 1) * size)];
      }),
    ),
  );
}

/**
 * Converts a column to texts or float64 numbers, as a fleet file stores them. Replaces lone
 * surrogates in texts, as every engine does.
 */
function plainColumn(column: Column): string[] | Float64Array {
  if (column instanceof Float64Array) return column;
  if (!(column instanceof BigInt64Array))
    return Array.from<string | Uint8Array | Dictionary, string>(column, plainText);
  throw fleetError('ERR_FLEET_GOLDEN', {
    expected: 'integers that float64 holds, because a fleet file stores golden numbers as float64',
    received: `${column.find((value) => BigInt(Number(value)) !== value)}`,
    at: 'the golden rows',
  });
}

function plainText(value: string | Uint8Array | Dictionary): string {
  if (typeof value === 'string') return value.toWellFormed();
  return value instanceof Uint8Array ? Buffer.from(value).toString() : dictionaryText(value);
}

/**
 * Returns a dictionary as JSON: key, type and value of each entry. Numbers are written as texts,
 * because JSON cannot represent all of them.
 */
const dictionaryText = (entries: Dictionary): string =>
  JSON.stringify(
    [...entries].map(([key, value]) => {
      if (typeof value === 'bigint') return [key, 'integer', String(value)];
      return typeof value === 'number'
        ? [key, 'number', Object.is(value, -0) ? '-0' : String(value)]
        : [key, '', value];
    }),
  );

function readDictionary(spelled: string): Dictionary {
  try {
    const entries = JSON.parse(spelled) as [key: string, type: string, value: string][];
    return new Map(entries.map(([key, type, value]) => [key, readEntry(type, value)]));
  } catch (cause) {
    throw fleetError('ERR_FLEET_GOLDEN', { received: spelled.slice(0, 40), cause });
  }
}

function readEntry(type: string, value: string): number | bigint | string {
  if (type === 'integer') return BigInt(value);
  return type === 'number' ? Number(value) : value;
}

/** Returns whether an out-array can hold the answers: every output is numeric or has labels. */
const hasNumbers = (outputs: CompiledPlan['outputs']) =>
  outputs.every((port: OutputPort) => dtypeOf(port.type) !== 'string' || port.labels !== undefined);

/** Returns an answer as JSON. Values that JSON cannot represent are written in a special form. */
const textOf = (answer: Answer): string =>
  JSON.stringify(answer, (_, value) => {
    if (typeof value === 'bigint') return `${value}n`;
    return typeof value === 'number' && !(Number.isFinite(value) && !Object.is(value, -0))
      ? `number ${Object.is(value, -0) ? '-0' : value}`
      : value;
  });
