import { createRequire } from 'node:module';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { type DType, dtypeOf, type InputPort, sizeOf } from '@brezel/core';

// Runs onnxruntime-node, if the user has installed it. It is searched from the working folder, then
// from this package. It is not a dependency, so this file declares the types that it uses.

interface Ort {
  readonly Tensor: new (type: string, data: unknown, dims: readonly number[]) => OrtTensor;
  readonly InferenceSession: { create(model: string | Uint8Array, options: object): Promise<OrtSession> };
}
interface OrtTensor {
  readonly data?: ArrayLike<unknown>;
}
interface OrtSession {
  readonly inputMetadata?: readonly { readonly name: string; readonly shape?: readonly (number | string)[] }[];
  readonly outputNames: readonly string[];
  run(feeds: Record<string, OrtTensor>, fetches?: readonly string[]): Promise<Record<string, OrtTensor>>;
}

export interface RivalLibrary {
  readonly version: string;
  readonly ort: Ort;
}

/**
 * A session of onnxruntime-node. Its inputs are created before the clock starts, which favors
 * onnxruntime.
 */
export interface RivalModel {
  readonly single: (row: number) => Promise<Record<string, OrtTensor>>;
  readonly batch: () => Promise<Record<string, OrtTensor>>;
}

export async function findRival(): Promise<RivalLibrary | undefined> {
  for (const from of [pathToFileURL(join(process.cwd(), 'package.json')).href, import.meta.url]) {
    const require = createRequire(from);
    try {
      const { version } = require('onnxruntime-node/package.json') as { version: string };
      return { version, ort: require('onnxruntime-node') as Ort };
    } catch {
      // not installed there or not loadable, so bench runs without the comparison
    }
  }
  return undefined;
}

/**
 * Options for one thread. Brezel also uses one thread, so the comparison does not depend on the
 * number of cores.
 */
const OPTIONS = { intraOpNumThreads: 1, interOpNumThreads: 1, logSeverityLevel: 4 };

/**
 * Opens a session of a file, or of the bytes of a model.
 *
 * @throws the error of onnxruntime if it cannot run the model, or if the rows do not match the
 * inputs of the model.
 */
export async function openRival(
  { ort }: RivalLibrary,
  model: string | Uint8Array,
  inputs: readonly InputPort[],
  rows: readonly Readonly<Record<string, unknown>>[],
  batchRows: readonly Readonly<Record<string, unknown>>[],
): Promise<RivalModel> {
  const session = await ort.InferenceSession.create(model, OPTIONS);
  const shapes = new Map((session.inputMetadata ?? []).map(({ name, shape }) => [name, shape]));
  const feed = (some: readonly Readonly<Record<string, unknown>>[]) =>
    Object.fromEntries(inputs.map((input) => [input.name, tensorOf(ort, input, shapes.get(input.name), some)]));
  const feeds = rows.map((row) => feed([row]));
  const all = feed(batchRows);
  await session.run(feeds[0]!);
  return { single: (row) => session.run(feeds[row % feeds.length]!), batch: () => session.run(all) };
}

function tensorOf(
  ort: Ort,
  { name, type }: InputPort,
  shape: readonly (number | string)[] | undefined,
  rows: readonly Readonly<Record<string, unknown>>[],
): OrtTensor {
  if (type.kind === 'dictionary') throw new Error('dictionary inputs are not supported for onnxruntime-node');
  const dtype = dtypeOf(type);
  const size = sizeOf(type);
  const values = rows.flatMap((row) => [row[name]].flat(Number.POSITIVE_INFINITY as 1));
  return new ort.Tensor(dtype, dataOf(dtype, values), dimensions(shape, rows.length, size));
}

/**
 * Returns the declared shape of an input, with the number of rows as the first size. A dimension
 * without a declared size gets the size that the `size` elements of a row require.
 */
function dimensions(shape: readonly (number | string)[] | undefined, rows: number, size: number): number[] {
  if (shape === undefined) return size === 1 ? [rows] : [rows, size];
  let left = size;
  const rest = shape.slice(1).map((one) => (typeof one === 'number' && one > 0 ? one : undefined));
  for (const one of rest) left /= one ?? 1;
  return [rows, ...rest.map((one) => one ?? left)].slice(0, shape.length);
}

const lists: Partial<Record<DType, (values: readonly unknown[]) => unknown>> = {
  float32: (values) => Float32Array.from(values as number[]),
  float64: (values) => Float64Array.from(values as number[]),
  int32: (values) => Int32Array.from(values as number[]),
  int64: (values) => BigInt64Array.from(values as number[], (value) => BigInt(value)),
  bool: (values) => Uint8Array.from(values as number[], Number),
  string: (values) => values,
};

function dataOf(dtype: DType, values: readonly unknown[]): unknown {
  const make = lists[dtype];
  if (make === undefined) throw new Error(`bench does not convert ${dtype} inputs for onnxruntime-node`);
  return make(values);
}
