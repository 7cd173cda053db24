import { type DenseBlock, dense, numericArray, type ReferenceKernel, RowError } from '@brezel/core';

type Element = number | bigint;

/** In the order of the kernel's attribute. Of floats: the store rounds after the one operation; integers wrap around there. */
export const reductions = {
  none: (_: Element, update: Element) => update,
  add: (old: Element, update: Element) => (typeof old === 'bigint' ? old + (update as bigint) : old + Number(update)),
  multiply: (old: Element, update: Element) =>
    typeof old === 'bigint' ? old * (update as bigint) : old * Number(update),
  // A NaN is both greater and less than all numbers, and 0 greater than -0.
  maximum: (old: Element, update: Element) =>
    typeof old === 'bigint' ? (update > old ? update : old) : Math.max(old, Number(update)),
  minimum: (old: Element, update: Element) =>
    typeof old === 'bigint' ? (update < old ? update : old) : Math.min(old, Number(update)),
} as const;

export type ScatterReduction = keyof typeof reductions;

/** Of numbers whose products float64 does not hold, and of bools. */
const special: Readonly<Record<string, Partial<Record<ScatterReduction, (old: never, update: never) => Element>>>> = {
  int32: { multiply: Math.imul },
  bool: { add: Math.max, multiply: Math.min },
};

/** A copy with updates at places, which count from the end where they are negative; one after the other, so that the last of several counts. */
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
