// The tensors of a model: how the types of Brezel appear in the Open Inference Protocol.
import type { ValueType, VersionDescription } from 'brezel';
import type { DatatypeName } from './datatypes.js';

export type InputPort = VersionDescription['inputs'][number];
export type OutputPort = VersionDescription['outputs'][number];

/**
 * A tensor in the metadata of a model. In the shape, -1 is an axis of any size, and the first axis
 * holds the rows.
 */
export interface TensorMetadata {
  readonly name: string;
  readonly datatype: DatatypeName;
  readonly shape: readonly number[];
}

const DATATYPES: Readonly<Record<string, DatatypeName>> = {
  float32: 'FP32',
  float64: 'FP64',
  int32: 'INT32',
  int64: 'INT64',
  bool: 'BOOL',
  string: 'BYTES',
};

/**
 * Returns the datatype of the protocol for a Brezel type. A dictionary is sent as one text that
 * contains a JSON object.
 */
export function datatypeOf(type: ValueType): DatatypeName {
  switch (type.kind) {
    case 'scalar':
    case 'vector':
    case 'tensor':
      return DATATYPES[type.dtype]!;
    case 'sparse':
    case 'map':
      return 'FP32';
    case 'tokens':
    case 'dictionary':
      return 'BYTES';
  }
}

/** Returns the sizes of the axes of a value in one row. -1 is an axis of any size. */
export function axesOf(type: ValueType): readonly number[] {
  switch (type.kind) {
    case 'scalar':
    case 'dictionary':
      return [];
    case 'vector':
    case 'sparse':
      return [type.size];
    case 'tensor':
      return type.shape;
    case 'map':
      return [type.keys.length];
    case 'tokens':
      return [-1];
  }
}

export const metadataOf = ({ name, type }: InputPort | OutputPort): TensorMetadata => ({
  name,
  datatype: datatypeOf(type),
  shape: [-1, ...axesOf(type)],
});

/** Returns the number of elements of a value whose axes have these sizes. */
export const elementsOf = (axes: readonly number[]): number => axes.reduce((product, size) => product * size, 1);
