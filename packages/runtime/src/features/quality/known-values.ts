import type { DType, NumericParameter, PhysicalStage, Step } from '@brezel/core';
import type { ObjectStore } from '@brezel/object-store';
import { DictionaryReader, NONE, WORD_PADDING } from '@brezel/text';

/** Returns whether an operator of a plan, such as an encoder, has an entry for a value. */
export type Known = (value: unknown) => boolean;

/**
 * Returns a function that tests whether a value is one of the keys of an operator, such as an
 * encoder. The function searches the packed dictionary of the operator's kernel. If the operator
 * has no kernel, it searches a Set.
 *
 * Cost: the first test reads the keys. With the addon, reading copies the keys to JavaScript
 * memory. Plans share the copy of a dictionary of texts, and the copy stays in memory as long as
 * the parameter. A copy of numbers stays as long as the plan.
 */
export function knownValues(
  { inputs, steps, calls = [] }: PhysicalStage,
  step: Step,
  parameter: string,
  dtype: DType,
  store: ObjectStore,
): Known {
  const output = inputs.length + steps.indexOf(step);
  const call = calls.find((one) => one.output === output && one.steps.length === 1);
  const id = call?.parameters[0];
  if (id === undefined) return atFirstUse(() => knownInSet(store, step.parameters[parameter]!));
  if (dtype === 'string') return atFirstUse(() => knownText(store.bytes(id)));
  return atFirstUse(() => knownNumber(store.get(id) as NumericParameter));
}

function atFirstUse(build: () => Known): Known {
  let known: Known | undefined;
  return (value) => {
    known ??= build();
    return known(value);
  };
}

function knownInSet(store: ObjectStore, id: string): Known {
  const keys = store.get(id);
  const set = new Set<unknown>(keys.dtype === 'string' ? keys.values : Array.from(keys.data, Number));
  return keys.dtype === 'string' ? (value) => set.has(value) : (value) => set.has(Number(value));
}

/**
 * Scratch memory of this thread for a text in UTF-8, and for the padding after the text that a
 * lookup reads.
 */
let scratch = new Uint8Array(1024);
const encoder = new TextEncoder();

function knownText(blob: Uint8Array): Known {
  const dictionary = new DictionaryReader(blob);
  return (value) => {
    const text = value as string;
    const most = text.length * 3 + WORD_PADDING;
    if (scratch.length < most) scratch = new Uint8Array(most * 2);
    const { written } = encoder.encodeInto(text, scratch);
    return dictionary.findWord(new DataView(scratch.buffer), 0, written) !== NONE;
  };
}

/**
 * Returns a function that tests whether a number is a key, with a binary search. The keys must be
 * in ascending order, with NaN last.
 */
function knownNumber({ dtype, data }: NumericParameter): Known {
  const asKey =
    dtype === 'int64' ? wideKey : dtype === 'float32' ? Math.fround : dtype === 'float64' ? Number : Math.trunc;
  return (value) => {
    const key = asKey(value as never);
    let [low, high] = [0, data.length];
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (data[middle]! < key) low = middle + 1;
      else high = middle;
    }
    return data[low] === key;
  };
}

/**
 * Converts a number to int64. Truncates a float, as a cast operator does. A number that is not
 * finite becomes 2^63, which is not an int64, so no key is equal to it.
 */
const wideKey = (value: number | bigint): bigint => {
  if (typeof value === 'bigint') return value;
  return Number.isFinite(value) ? BigInt(Math.trunc(value)) : 2n ** 63n;
};
