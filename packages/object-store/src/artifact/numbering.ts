import type { DType, StageRole, ValueType } from '@brezel/core';

// Names as the manifest numbers them. The numbers are part of the format: new names go to the end.

export const kinds: readonly ValueType['kind'][] = ['scalar', 'vector', 'sparse', 'tokens', 'map'];
export const dtypes: readonly DType[] = ['float32', 'float64', 'int64', 'int32', 'bool', 'string'];
export const blobDtypes: readonly (DType | 'blob')[] = [...dtypes, 'blob'];
export const roles: readonly StageRole[] = ['featurizer', 'model'];
