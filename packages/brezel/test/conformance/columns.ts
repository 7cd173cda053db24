import { deepStrictEqual } from 'node:assert';
import { type Answer, dtypeOf, type InputPort, numericArray, type OutputPort, type Row } from '@brezel/core';
import type { EngineName, RegisteredPlan, Runtime } from 'brezel';

type Fields = Readonly<Record<string, unknown>>;

/** Converts rows to the columns that `predictColumns` takes. */
export function columnsOf(inputs: readonly InputPort[], rows: readonly Row[]): Record<string, unknown> {
  const fields = rows.map((row) => (isFields(row) ? row : { [inputs[0]!.name]: row }) as Fields);
  return Object.fromEntries(
    inputs.flatMap((port): [string, unknown][] => {
      const { name, type } = port;
      if (fields.every((row) => row[name] === undefined)) return [];
      const values = fields.map((row) => row[name]);
      if (type.kind === 'dictionary') return [[name, values]];
      const elements = values.flatMap((value) => [flat(value)].flat());
      if (dtypeOf(type) === 'string') return [[name, elements]];
      const hasBig = elements.some((element) => typeof element === 'bigint');
      const numbers = hasBig
        ? BigInt64Array.from(elements as bigint[], BigInt)
        : Float64Array.from(elements as number[], (element) => (element === null ? Number.NaN : Number(element)));
      return [[name, numbers]];
    }),
  );
}

const isFields = (row: Row) => typeof row === 'object' && !ArrayBuffer.isView(row) && !Array.isArray(row);

const flat = (value: unknown): unknown =>
  Array.isArray(value) || (ArrayBuffer.isView(value) && !(value instanceof Uint8Array))
    ? (Array.from(value as unknown[]) as unknown[]).flat(Number.POSITIVE_INFINITY)
    : value;

/** Converts answers to the columns that `predictColumns` returns. */
export function answerColumnsOf(outputs: readonly OutputPort[], answers: readonly Answer[]): Record<string, unknown> {
  return Object.fromEntries(
    outputs.map(({ name, type }): [string, unknown] => {
      const values = answers.map((answer) => answer[name]!);
      if (type.kind === 'tokens' || type.kind === 'dictionary') return [name, values];
      const elements = values.flatMap((value) =>
        type.kind === 'map' ? type.keys.map((key) => (value as Fields)[key]) : [flat(value)].flat(),
      );
      const dtype = dtypeOf(type);
      if (dtype === 'string') return [name, elements];
      const column = numericArray(dtype, elements.length) as Float64Array;
      column.set(dtype === 'int64' ? (elements.map(saturated) as never) : elements.map(Number));
      return [name, column];
    }),
  );
}

/** Answers contain a saturated int64 as the number 2^63. */
const saturated = (value: unknown): bigint => (value === 2 ** 63 ? 2n ** 63n - 1n : BigInt(value as number));

/**
 * Expects that `predictColumns` gives the bits of `predictBatch` with each engine. Every NaN is the
 * same value, as in an answer.
 */
export async function expectColumns(
  runtime: Runtime,
  plan: RegisteredPlan,
  rows: readonly Row[],
  engines: readonly EngineName[] = ['batch', 'request-response', 'reference'],
): Promise<void> {
  const want = answerColumnsOf(plan.outputs, await runtime.predictBatch(plan, rows));
  for (const engine of engines) {
    const got = await runtime.predictColumns(plan, columnsOf(plan.inputs, rows) as never, { engine });
    deepStrictEqual(withPlainNaN(got), withPlainNaN(want), engine);
  }
}

function withPlainNaN(columns: Record<string, unknown>): Record<string, unknown> {
  for (const column of Object.values(columns))
    if (column instanceof Float32Array || column instanceof Float64Array)
      for (let index = 0; index < column.length; index++) if (Number.isNaN(column[index])) column[index] = Number.NaN;
  return columns;
}
