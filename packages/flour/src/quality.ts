import { type QualityCall, type StepQuality, sizeOf } from '@brezel/core';
import { findOperator } from './custom/registry.js';
import { numbersOf, type QualityUse } from './define-op.js';

// Finds out from operators which values of a row are usual, for the counters of data quality.

/**
 * Returns the description (`StepQuality`) of an operator that copies each element of the input to
 * the same index of the result. Returns undefined if the sizes differ.
 */
export function passesElements({ inputs, input, type }: QualityUse): StepQuality | undefined {
  const size = sizeOf(inputs[input]!);
  return size === sizeOf(type) ? { passes: Int32Array.from({ length: size }, (_, element) => element) } : undefined;
}

/**
 * The first mode of a node without a range: EQ, in the list `nodeModes` of forests. All earlier
 * modes test `<=`, `<`, `>=` or `>`. Later modes test inequality or membership in a set, or mark a
 * leaf.
 */
const FIRST_UNORDERED = 4;

/**
 * Returns, for the counters of data quality, the smallest and the largest threshold of each column
 * of a forest. Ignores tests for equality and for membership in a set, because these tests have no
 * range.
 */
export function thresholds({ inputs, input, parameter }: QualityUse): StepQuality {
  const size = sizeOf(inputs[input]!);
  const least = new Float64Array(size).fill(Number.NaN);
  const greatest = new Float64Array(size).fill(Number.NaN);
  const [mode, feature, threshold] = ['mode', 'feature', 'threshold'].map((name) => numbersOf(parameter(name)));
  for (let node = 0; node < mode!.length; node++) {
    const value = Number(threshold![node]);
    if (Number(mode![node]) >= FIRST_UNORDERED || !Number.isFinite(value)) continue;
    const column = Number(feature![node]);
    if (!(value >= least[column]!)) least[column] = value;
    if (!(value <= greatest[column]!)) greatest[column] = value;
  }
  return { range: { least, greatest } };
}

/**
 * Returns which values are usual in one input of an operator use, for the counters of data quality.
 * Returns undefined if the operator does not define usual values.
 */
export function stepQuality({ step, inputTypes, input, parameter }: QualityCall): StepQuality | undefined {
  const { operator, version, attributes, inputs, type } = step;
  const isOneValue = inputs.every((slot) => slot === inputs[0]);
  const use = { inputs: inputTypes, attributes, type, parameter, input, isOneValue };
  return findOperator(operator, version)?.quality?.(use);
}
