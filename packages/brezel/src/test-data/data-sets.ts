import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type ElementType, fromBfloat16, type Tensor, type TensorValue } from '@brezel/core';
import {
  readElements,
  readMapProto,
  readOptionalProto,
  readSequenceProto,
  readTensorProto,
  type SequenceProto,
} from '@brezel/onnx';
import { testDataError } from './errors.js';
import { type Maps, mapsOf } from './maps.js';

/**
 * One `test_data_set_*` folder of ONNX test data: the paths of its input files and output files.
 * The key of a path is the number in the file name.
 */
export interface DataSet {
  readonly name: string;
  readonly folder: string;
  readonly inputs: ReadonlyMap<number, string>;
  readonly outputs: ReadonlyMap<number, string>;
}

/**
 * Returns the data sets in a folder in the order of their numbers. If the folder itself is a data
 * set, returns only this data set.
 *
 * @throws ERR_TEST_DATA when the folder has no data sets.
 */
export async function findDataSets(folder: string): Promise<DataSet[]> {
  const names = numbered(await list(folder), /^test_data_set_(\d+)$/);
  const folders = Array.from(names.values(), (name) => join(folder, name));
  const sets = await Promise.all((folders.length === 0 ? [folder] : folders).map(readSet));
  const complete = sets.filter(({ outputs }) => outputs.size > 0);
  if (complete.length > 0) return complete;
  throw testDataError('ERR_TEST_DATA', {
    expected: 'folders test_data_set_* with output_*.pb files',
    received: 'none',
    at: folder,
  });
}

async function readSet(folder: string): Promise<DataSet> {
  const files = await list(folder);
  const paths = (pattern: RegExp) =>
    new Map(Array.from(numbered(files, pattern), ([number, name]) => [number, join(folder, name)]));
  return {
    name: folder.split(/[\\/]/).findLast((part) => part !== '') ?? folder,
    folder,
    inputs: paths(/^input_(\d+)\.pb$/),
    outputs: paths(/^output_(\d+)\.pb$/),
  };
}

/** Returns the names that match a pattern, in ascending order of the number in each name. */
function numbered(names: readonly string[], pattern: RegExp): Map<number, string> {
  const found = names.flatMap((name): [number, string][] => {
    const number = pattern.exec(name)?.[1];
    return number === undefined ? [] : [[Number(number), name]];
  });
  return new Map(found.toSorted(([a], [b]) => a - b));
}

async function list(folder: string): Promise<string[]> {
  try {
    return await readdir(folder);
  } catch (cause) {
    throw testDataError('ERR_TEST_DATA', {
      expected: 'a folder',
      received: 'an unreadable path',
      at: folder,
      cause,
    });
  }
}

/** The declared type of a value in a data set. */
export interface ValueKind {
  readonly kind: 'tensor' | 'sequence' | 'map' | 'sequence of maps';
  readonly nullable?: true;
  readonly element?: ElementType | undefined;
}

export type DataValue = TensorValue | Maps;

/**
 * Reads one value of a data set. Returns undefined if the value is absent.
 *
 * @throws ERR_TEST_DATA with the file, if the file does not contain a value of this kind.
 */
export async function readValue(path: string, wanted: ValueKind): Promise<DataValue | undefined> {
  try {
    return valueIn(await readFile(path), wanted);
  } catch (cause) {
    const { kind } = wanted;
    throw testDataError('ERR_TEST_DATA', {
      expected: `a ${kind}, as protobuf`,
      received: cause instanceof Error ? cause.message : String(cause),
      at: path,
      cause,
    });
  }
}

function valueIn(bytes: Uint8Array, { kind, nullable, element }: ValueKind): DataValue | undefined {
  if (nullable) {
    const { tensorValue, sequenceValue } = readOptionalProto(bytes);
    if (tensorValue !== undefined) return readElements(tensorValue);
    return sequenceValue && sequenceOf(sequenceValue);
  }
  if (kind === 'map') return mapsOf([readMapProto(bytes)]);
  if (kind === 'sequence of maps') return mapsOf(readSequenceProto(bytes).mapValues);
  if (kind === 'sequence') return sequenceOf(readSequenceProto(bytes));
  const tensor = readElements(readTensorProto(bytes));
  return element === 'bfloat16' ? fromBits(tensor) : tensor;
}

/**
 * Converts a uint16 tensor that holds the bits of bfloat16 numbers. Older releases of ONNX wrote
 * bfloat16 test data as uint16, because NumPy had no bfloat16.
 */
const fromBits = (tensor: Tensor): Tensor =>
  tensor.element === 'uint16' ? { ...tensor, element: 'bfloat16', data: fromBfloat16(tensor.data) } : tensor;

const sequenceOf = ({ tensorValues }: SequenceProto): TensorValue => ({
  element: 'sequence',
  tensors: tensorValues.map(readElements),
});
