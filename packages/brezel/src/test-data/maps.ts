import type { Tensor, TensorValue } from '@brezel/core';
import { type MapEntry, type MapProto, readMap } from '@brezel/onnx';
import type { Answer } from '@brezel/runtime';
import { type Comparison, compareTensor, differs, type Tolerance } from './compare.js';

/** Names with their values. */
export type Names = ReadonlyMap<string, MapEntry>;

/** A sequence of maps, as ZipMap gives it, or the one map of an input. */
export interface Maps {
  readonly element: 'map';
  readonly maps: readonly Names[];
}

export const mapsOf = (maps: readonly MapProto[]): Maps => ({ element: 'map', maps: maps.map(readMap) });

/** One output of all answers. */
export const answersAsMaps = (answers: readonly Answer[], output: string): Maps => ({
  element: 'map',
  maps: answers.map((answer) => new Map(Object.entries(answer[output] as Record<string, MapEntry>))),
});

/** The rows of `[N, labels]` under the names of the columns. A line is one row. */
export function columnsAsMaps({ shape, data }: Tensor, labels: readonly string[]): Maps {
  const rows = shape.length < 2 ? 1 : shape[0]!;
  const row = (at: number) => labels.map((label, column) => [label, data[at * labels.length + column]!] as const);
  return { element: 'map', maps: Array.from({ length: rows }, (_, at) => new Map(row(at))) };
}

export const isMaps = (value: TensorValue | Maps | undefined): value is Maps => value?.element === 'map';

/** Compares maps one by one: the same keys, in any order, and their values as tensors of `element` compare. */
export function compareMaps(got: Maps, want: Maps, tolerance: Tolerance): Comparison {
  if (got.maps.length !== want.maps.length) return differs(`${got.maps.length} maps instead of ${want.maps.length}`);
  let largestDifference = 0;
  for (const [at, wanted] of want.maps.entries()) {
    const one = compareNames(got.maps[at]!, wanted, tolerance);
    largestDifference = Math.max(largestDifference, one.largestDifference);
    if (!one.agrees) return { ...one, largestDifference, difference: `map ${at}: ${one.difference}` };
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

/** Numbers are compared as floats, within the tolerance; text exactly. */
const tensorOf = (values: readonly MapEntry[]): Tensor =>
  values.every((value) => typeof value === 'number')
    ? { element: 'float64', shape: [values.length], data: Float64Array.from(values) }
    : { element: 'string', shape: [values.length], data: values.map(String) };
