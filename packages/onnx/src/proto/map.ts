import { onnxError } from '../errors.js';
import { readElements } from './element-tensor.js';
import type { MapProto } from './schema.js';

/** A key or a value of a map. */
export type MapEntry = number | bigint | string;

/**
 * Decodes a map of ONNX test data. The keys are texts, in the order of the file.
 *
 * @throws ERR_ONNX_TENSOR for a different number of keys and values, or a repeated key.
 * @example readMap(makeMap('x', ['age'], [makeTensor('', 'float32', [], Float32Array.of(42))])).get('age')
 */
export function readMap({ name, keys, stringKeys, values }: MapProto): ReadonlyMap<string, MapEntry> {
  const names = stringKeys.length > 0 ? stringKeys.texts() : Array.from(keys, String);
  const entries = (values?.tensorValues ?? []).flatMap((tensor): MapEntry[] =>
    Array.from(readElements(tensor).data as ArrayLike<MapEntry>),
  );
  const map = new Map(names.map((key, at) => [key, entries[at]!] as const));
  if (entries.length === names.length && map.size === names.length) return map;
  const [expected, received] = [`a value for each of ${names.length} keys, all of them other`, `${entries.length}`];
  throw onnxError('ERR_ONNX_TENSOR', { expected, received, at: `map '${name}'` });
}
