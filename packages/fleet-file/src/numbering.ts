import type { DictionaryType, DictionaryValue, DType, StageRole, ValueType } from '@brezel/core';

// The numbers of names in the manifest. They are part of the format, so append new names only at
// the end.

export const kinds: readonly ValueType['kind'][] = [
  'scalar',
  'vector',
  'sparse',
  'tokens',
  'map',
  'dictionary',
  'tensor',
];
export const dtypes: readonly DType[] = ['float32', 'float64', 'int64', 'int32', 'bool', 'string'];
export const blobDtypes: readonly (DType | 'blob')[] = [...dtypes, 'blob'];
/**
 * The element types of dictionaries, by their number in the file. A type that `dtypes` contains has
 * the same number here. An entry is undefined if a dictionary cannot hold its type.
 */
export const dictionaryValues: readonly (DictionaryValue | undefined)[] = [
  'float32',
  'float64',
  'int64',
  undefined,
  undefined,
  'string',
  'mixed',
];
export const dictionaryKeys: readonly DictionaryType['keys'][] = ['string', 'int64'];
export const roles: readonly StageRole[] = ['featurizer', 'model'];
