import { type DenseBlock, dense, numericArray, type ReferenceKernel, RowError } from '@brezel/core';

type Element = number | bigint;

/**
 * The functions that combine the old element with the update. The kernel receives the index of a
 * function. A float result is rounded when it is stored, and an integer result wraps around.
 */
export const reductions = {
  none: (_: Element, update: Element) => update,
  add: (old: Element, update: Element) => (typeof old === 'bigint' ? old + (update as bigint) : old + Number(update)),
  multiply: (old: Element, update: Element) =>
    typeof old === 'bigint' ? old * (update as bigint) : old * Number(update),
  // If a value is NaN, the result is NaN. 0 is greater than -0.
  maximum: (old: Element, update: Element) =>
    typeof old === 'bigint' ? (update > old ? update : old) : Math.max(old, Number(update)),
  minimum: (old: Element, update: Element) =>
    typeof old === 'bigint' ? (update < old ? update : old) : Math.min(old, Number(update)),
} as const;

/** The name of a function that combines the old element with the update. */
export type ScatterReduction = keyof typeof reductions;

/**
 * The functions that replace those in `reductions` for some types: for int32, because float64 does
 * not represent all products exactly, and for bool.
 */
const special: Readonly<Record<string, Partial<Record<ScatterReduction, (old: never, update: never) => Element>>>> = {
  int32: { multiply: Math.imul },
  bool: { add: Math.max, multiply: Math.min },
};

/**
 * Copies the row and applies the updates in order. If several updates have the same index, the last
 * one replaces the element; with a reduction, all of them are combined. A negative index counts
 * from the end.
 */
export const reference: ReferenceKernel = ({ rows, inputs, attributes }) => {
  const [data, places, updates] = inputs as [DenseBlock, DenseBlock<'int64'>, DenseBlock];
  const block = attributes.block as number;
  const reduction = attributes.reduction as ScatterReduction;
  const combine = (special[data.dtype]?.[reduction] ?? reductions[reduction]) as (typeof reductions)['none'];
  const entries = data.size / block;
  const values = numericArray(data.dtype, data.values.length);
  values.set(data.values as never);
  places.values.forEach((given, place) => {
    const row = Math.floor(place / places.size);
    const entry = Number(given) < 0 ? Number(given) + entries : Number(given);
    if (entry < 0 || entry >= entries) throw new RowError(row, { received: `index ${given} of ${entries} entries` });
    for (let at = 0; at < block; at++) {
      const to = row * data.size + entry * block + at;
      values[to] = combine(values[to]!, updates.values[place * block + at]!) as never;
    }
  });
  return dense(data.dtype, rows, data.size, values as never);
};
