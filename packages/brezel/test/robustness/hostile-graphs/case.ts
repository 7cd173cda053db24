import { type AttributeValue, makeTensor } from '@brezel/onnx';

/** The code of a file that is rejected before anything runs. */
export const REFUSED = /^ERR_(ONNX|FLOUR)_/;
/** The code of a file with NaN or infinite weights. With `nonFinite: 'allow'`, the file works. */
export const WEIGHT = /^ERR_ONNX_WEIGHT$/;
export const i = (value: number | bigint) => ({ i: value });
export const ints = (...values: (number | bigint)[]) => ({ ints: values });
export const s = (value: string) => ({ s: value });
export const int64 = (name: string, ...values: number[]) =>
  makeTensor(name, 'int64', [values.length], BigInt64Array.from(values, BigInt));
export const vectorOf = (name: string, size: number) =>
  makeTensor(name, 'float32', [size], new Float32Array(size).fill(1));

/**
 * A file and its expected outcome: the file works, or fails with a code that matches the pattern.
 */
export type Case = readonly [name: string, bytes: () => Uint8Array, outcome: 'works' | RegExp];

export type Attributes = Readonly<Record<string, AttributeValue | undefined>>;

/** Returns a function that builds a model with other attributes. */
export const changed = (model: (attributes: Attributes) => Uint8Array, attributes: Attributes) => () =>
  model(attributes);
