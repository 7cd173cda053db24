import type { Tensor, TensorValue } from '@brezel/core';
import { type MapEntry, type MapProto, readMap } from '@brezel/onnx';
import type { Answer } from '@brezel/runtime';
import { type Comparison, compareTensor, differs, type Tolerance } from './compare.js';

/** The values of a map, by key. */
export type Names = ReadonlyMap<string, MapEntry>;

/** A sequence of maps, as ZipMap returns it, or the single map of an input. */
export interface Maps {
  readonly element: 'map';
  readonly maps: readonly Names[];
}

export const mapsOf = (maps: readonly MapProto[]): Maps => ({ element: 'map', maps: maps.map(readMap) });

/** Returns the values of one output as maps, one map for each answer. */
export const answersAsMaps = (answers: readonly Answer[], output: string): Maps => ({
  element: 'map',
  maps: answers.map((answer) => new Map(Object.entries(answer[output] as Record<string, MapEntry>))),
});

/**
 * Converts the rows of a tensor `[N, labels]` to maps with the labels as keys. A vector is one row.
 */
export function columnsAsMaps({ shape, data }: Tensor, labels: readonly string[]): Maps {
  const rows = shape.length < 2 ? 1 : shape[0]!;
  const entriesOf = (row: number) =>
    labels.map((label, column) => [label, data[row * labels.length + column]!] as const);
  return { element: 'map', maps: Array.from({ length: rows }, (_, row) => new Map(entriesOf(row))) };
}

export const isMaps = (value: TensorValue | Maps | undefined): value is Maps => value?.element === 'map';

/**
 * Compares maps one by one. Keys may be in any order. Values are compared as tensors of type
 * `element`.
 */
export function compareMaps(got: Maps, want: Maps, tolerance: Tolerance): Comparison {
  if (got.maps.length !== want.maps.length) return differs(`${got.maps.length} maps instead of ${want.maps.length}`);
  let largestDifference = 0;
  for (const [row, wanted] of want.maps.entries()) {
    const result = compareNames(got.maps[row]!, wanted, tolerance);
    largestDifference = Math.max(largestDifference, result.largestDifference);
    if (!result.agrees) return { ...result, largestDifference, difference: `map ${row}: ${result.difference}` };
  }
  return { agrees: true, largestDifference };
}

function compareNames(got: Names, want: Names, tolerance: Tolerance): Comparison {
  const [missing, extra] = [
    [...want.keys()].find((key) => !got.has(key)),
    [...got.keys()].find((key) => !want.has(key)),
  ];
  if (missing !== undefined) return differs(`no key ${JSON.stringify(missing)}`);
  if (extra !== undefined) return differs(`a key ${JSON.stringify(extra)} too many`);
  const values = { shape: [want.size], data: Array.from(want.keys(), (key) => got.get(key)!) };
  return compareTensor(values, tensorOf([...want.values()]), tolerance);
}

/**
 * Returns the values of a map as a tensor. The tensor has floats if all values are numbers, so that
 * they are compared within the tolerance. Otherwise it has texts, which are compared exactly.
 */
const tensorOf = (values: readonly MapEntry[]): Tensor =>
  values.every((value) => typeof value === 'number')
    ? { element: 'float64', shape: [values.length], data: Float64Array.from(values) }
    : { element: 'string', shape: [values.length], data: values.map(String) };
