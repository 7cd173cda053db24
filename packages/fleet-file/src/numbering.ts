import type { DictionaryType, DictionaryValue, DType, StageRole, ValueType } from '@brezel/core';

// The manifest stores some names as numbers. The number of a name is its index in one of these
// lists. The numbers are part of the format, so append new names only at the end.

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
 * The types of the values of dictionaries, by their number in the file. A type has the same number
 * as in `dtypes`. An entry is undefined if dictionaries do not support the type.
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
