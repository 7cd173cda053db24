import { type BackendPort, type BackendTensors, elementCount, type NumericElement } from '@brezel/core';

/** An output whose size is known before the model runs. */
export interface KnownOutput {
  readonly element: NumericElement;
  readonly shape: readonly number[];
  readonly length: number;
}

/**
 * Element types that onnxruntime and Brezel store differently, and undefined for an unknown type.
 */
const CODED: ReadonlySet<unknown> = new Set(['string', 'float16', 'bfloat16', undefined]);

/**
 * Returns the shape of an output, if the file declares it with numbers and with named dynamic sizes
 * that inputs also have. Otherwise returns undefined.
 */
export function knownOutput(
  { kind, element, shape }: BackendPort,
  inputs: readonly BackendPort[],
  tensors: BackendTensors,
): KnownOutput | undefined {
  if (kind !== 'tensor' || shape === undefined || CODED.has(element)) return undefined;
  const sizes = sizesOf(inputs, tensors);
  const known = shape.map((size) => (typeof size === 'string' ? sizes.get(size) : size));
  if (!known.every((size) => typeof size === 'number' && size > 0)) return undefined;
  return { element: element as NumericElement, shape: known as number[], length: elementCount(known as number[]) };
}

/** Returns the named dynamic sizes of a request. A name with two different sizes is omitted. */
function sizesOf(inputs: readonly BackendPort[], tensors: BackendTensors): Map<string, number> {
  const sizes = new Map<string, number>();
  for (const { name, shape } of inputs)
    shape?.forEach((size, axis) => {
      if (typeof size !== 'string') return;
      const found = tensors[name]!.shape[axis]!;
      sizes.set(size, (sizes.get(size) ?? found) === found ? found : Number.NaN);
    });
  return sizes;
}
