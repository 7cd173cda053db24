import {
  type DenseBlock,
  dense,
  type ParameterValue,
  type ReferenceKernel,
  RowError,
  type StringBlock,
} from '@brezel/core';
import { keyOf } from '@brezel/tensors';

export type Keys = ParameterValue;

/**
 * Returns the index of each value in the list of keys. For an unknown value, returns the number of
 * keys or rejects the row.
 */
export const reference: ReferenceKernel = ({ rows, inputs, parameters, attributes }) => {
  const block = inputs[0] as StringBlock | DenseBlock;
  const keys = parameters.keys!;
  const places = placesOf(keys);
  const values = BigInt64Array.from({ length: block.values.length }, (_, at) => {
    const value = block.values[at]!;
    const place = places.get(keyOf(value));
    if (place !== undefined) return place;
    if (attributes.unknown === 'error') {
      const shown = typeof value === 'string' ? JSON.stringify(value.slice(0, 40)) : `${value}`;
      throw new RowError(Math.floor(at / block.size), { received: `the unknown category ${shown}` });
    }
    return BigInt(places.size);
  });
  return dense('int64', rows, block.size, values);
};

/**
 * Caches the map from key to index for each parameter, because a plan passes the same parameter in
 * each call.
 */
const known = new WeakMap<Keys, ReadonlyMap<string | number | bigint, bigint>>();

function placesOf(keys: Keys): ReadonlyMap<string | number | bigint, bigint> {
  const seen = known.get(keys);
  if (seen !== undefined) return seen;
  const list: readonly (string | number | bigint)[] = keys.dtype === 'string' ? keys.values : [...keys.data];
  const places = new Map(list.map((key, place) => [keyOf(key), BigInt(place)]));
  known.set(keys, places);
  return places;
}
