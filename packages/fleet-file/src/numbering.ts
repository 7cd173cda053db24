import type { DictionaryType, DictionaryValue, DType, StageRole, ValueType } from '@brezel/core';

// Names as the manifest numbers them. The numbers are part of the format: new names go to the end.

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
/** The first are `dtypes`, by the same numbers; what a dictionary cannot hold has no name. */
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
