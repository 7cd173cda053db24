import type { Row } from '@brezel/runtime';
import { createFlour, createRuntime, importOnnx } from 'brezel';
import { InferenceSession, Tensor } from 'brezel/inference-session';
import { expect } from 'vitest';
import type { CorpusModel } from '../corpus/corpus.js';

type Metadata = InferenceSession['inputMetadata'][number];

/** Joins one input of all rows to a tensor. */
function tensorOf(port: Metadata, rows: readonly Readonly<Record<string, unknown>>[]): Tensor {
  if (!port.isTensor) throw new Error(`${port.name} is not a tensor`);
  const { name, type, shape } = port;
  const values = rows.map((row) => row[name]).flat(Number.POSITIVE_INFINITY);
  const dims = shape.map((size, axis) => (axis === 0 ? rows.length : Number(size) || values.length / rows.length));
  return new Tensor(type, type === 'bool' ? values.map(Boolean) : values, dims);
}

/** Returns elements in the form of an answer: nested lists, labels as keys, and booleans. */
function inForm(form: unknown, elements: Iterator<unknown>, labels: readonly string[] = []): unknown {
  if (Array.isArray(form)) return form.map((one) => inForm(one, elements));
  if (typeof form === 'object' && form !== null)
    return Object.fromEntries(labels.map((label) => [label, inForm(0, elements)]));
  const { value } = elements.next();
  if (typeof form === 'boolean') return Number(value) === 1;
  return typeof value === 'bigint' ? numberOf(value) : value;
}

const numberOf = (integer: bigint) => (Number.isSafeInteger(Number(integer)) ? Number(integer) : integer);

/**
 * Answers the rows of a model by a session and by `predictBatch`. Throws unless all bits agree.
 * Returns the answers of the session, row by row.
 */
export async function sessionAnswers(model: CorpusModel): Promise<Record<string, unknown>[]> {
  const session = await InferenceSession.create(model.bytes);
  const rows = model.inputs.length;
  const feeds = Object.fromEntries(session.inputMetadata.map((port) => [port.name, tensorOf(port, model.inputs)]));
  const results = await session.run(feeds);
  await session.release();
  const expected = await batchAnswers(model.bytes, model.inputs as readonly Row[]);
  for (const [name, tensor] of Object.entries(results)) {
    const wanted = expected.flatMap((answer) => flat(answer[name], tensor.labels));
    expect(Array.from(tensor.data as ArrayLike<unknown>, comparable), name).toEqual(wanted.map(comparable));
  }
  expect(Object.keys(results)).toEqual(session.outputNames);
  const elements = new Map(Object.entries(results).map(([name, { data }]) => [name, rowsOf(data, rows)]));
  return expected.map((answer, row) =>
    Object.fromEntries(
      Object.entries(answer).map(([name, value]) => [
        name,
        inForm(value, elements.get(name)!(row).values(), results[name]!.labels),
      ]),
    ),
  );
}

/** Returns a function that returns the elements of one row. */
const rowsOf = (data: Tensor['data'], rows: number) => (row: number) => {
  const list = Array.from(data as ArrayLike<unknown>);
  const size = list.length / rows;
  return list.slice(row * size, (row + 1) * size);
};

async function batchAnswers(bytes: Uint8Array, rows: readonly Row[]) {
  using flour = await createFlour();
  await using runtime = createRuntime({ store: flour.store, executors: 0 });
  return await runtime.predictBatch(runtime.register(importOnnx(bytes, flour).program.plan()), rows);
}

/** Returns the elements of a value. A map has them in the order of the labels. */
function flat(value: unknown, labels: readonly string[] = []): unknown[] {
  if (Array.isArray(value)) return value.flat(Number.POSITIVE_INFINITY);
  if (typeof value !== 'object' || value === null) return [value];
  return labels.map((label) => (value as Readonly<Record<string, unknown>>)[label]);
}

/** -0 and 0 differ for `toEqual`; integers may be numbers or bigints. */
const comparable = (value: unknown) =>
  typeof value === 'bigint' || typeof value === 'boolean' ? Number(value) : (value as number | string);
