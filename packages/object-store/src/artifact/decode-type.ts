import type { ValueType } from '@brezel/core';
import { fault } from './fault.js';
import type { ValueTypeT } from './generated/value-type.js';
import { dictionaryKeys, dictionaryValues, dtypes, kinds } from './numbering.js';
import { MAX_COLUMNS } from './table-checks.js';

const MAX_AXES = 16;

/** The type of a value, of a size that can be. @throws ERR_STORE_FORMAT */
export function decodeType(type: ValueTypeT | null, at: string): ValueType {
  if (type === null) return fault(at, 'no type');
  const { size, keys, shape } = type;
  const kind = kinds[type.kind] ?? fault(at, `kind ${type.kind}`);
  if (kind === 'dictionary') return decodeDictionary(type, at);
  const dtype = dtypes[type.dtype] ?? fault(at, `type ${type.dtype}`);
  const sized = () => (size >= 1 && size <= MAX_COLUMNS ? size : fault(at, `${size} columns`, `1 to ${MAX_COLUMNS}`));
  switch (kind) {
    case 'scalar':
      return { kind, dtype };
    case 'vector':
      return { kind, dtype, size: sized() };
    case 'sparse':
      return { kind, size: sized() };
    case 'tokens':
      return { kind };
    case 'map':
      return { kind, keys: keys.length > 0 ? keys : fault(at, 'a map without keys') };
    case 'tensor':
      return { kind, dtype, shape: axes(shape, at) };
  }
}

function decodeDictionary({ dtype, size }: ValueTypeT, at: string): ValueType {
  const values = dictionaryValues[dtype] ?? fault(at, `a dictionary of type ${dtype}`);
  const keys = dictionaryKeys[size] ?? fault(at, `keys of type ${size}`);
  return { kind: 'dictionary', keys, values };
}

/** A shape of two axes or more, none of them empty. */
function axes(shape: readonly number[], at: string): readonly number[] {
  const size = shape.reduce((product, axis) => product * axis, 1);
  if (shape.length >= 2 && shape.length <= MAX_AXES && size >= 1 && size <= MAX_COLUMNS) return shape;
  return fault(at, `a tensor of shape [${shape}]`, `2 to ${MAX_AXES} axes, and 1 to ${MAX_COLUMNS} elements`);
}
