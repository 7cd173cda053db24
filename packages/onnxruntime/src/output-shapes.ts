import { type BackendPort, type BackendTensors, elementCount, type NumericElement } from '@brezel/core';

/** An output whose size is known before the model runs. */
export interface KnownOutput {
  readonly element: NumericElement;
  readonly shape: readonly number[];
  readonly length: number;
}

/**
 * Element types that onnxruntime and Brezel store differently, and `undefined` for an unknown type.
 * Outputs of these types are not allocated before the model runs.
 */
const CODED: ReadonlySet<unknown> = new Set(['string', 'float16', 'bfloat16', undefined]);

/**
 * Returns the shape of an output before the model runs. The file must declare each size as a
 * number, or as a name that an input also has. Returns undefined for other outputs, for empty
 * outputs, and for the element types in `CODED`.
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

/**
 * Returns the sizes that a request has for the names in declared shapes. If a name has two
 * different sizes, its size is NaN.
 */
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
