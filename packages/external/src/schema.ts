import { datatypeNamed, listAt, metadataOf, nameAt, objectAt, ProtocolError } from '@brezel/oip';
import { type ElementType, scalar, tensor, type ValueType, vector } from 'brezel';
import { externalError } from './errors.js';

type DType = Parameters<typeof scalar>[0];
/** The name of a datatype of the protocol. */
export type Datatype = ReturnType<typeof metadataOf>['datatype'];

/** An input or output of an external model. */
export interface ExternalPort {
  readonly name: string;
  /** The type of the value in one row. */
  readonly type: Extract<ValueType, { readonly kind: 'scalar' | 'vector' | 'tensor' }>;
  readonly datatype: Datatype;
  readonly element: ElementType & DType;
  /** The sizes of all axes except the first, which holds the rows. */
  readonly axes: readonly number[];
}

/** The inputs and outputs of an external model. */
export interface Schema {
  readonly inputs: readonly ExternalPort[];
  readonly outputs: readonly ExternalPort[];
}

const DTYPES: ReadonlyMap<string, DType> = new Map([
  ['FP32', 'float32'],
  ['FP64', 'float64'],
  ['INT32', 'int32'],
  ['INT64', 'int64'],
  ['BOOL', 'bool'],
  ['BYTES', 'string'],
]);

/** Types that the caller declares. They replace the types in the metadata of the server. */
export type DeclaredTypes = Readonly<Record<string, ValueType>> | undefined;

/**
 * Reads the inputs and outputs of a model from its metadata.
 *
 * @param declared types that replace the types in the metadata.
 * @param at the replica.
 * @throws ERR_EXTERNAL_MODEL for metadata that does not describe rows.
 */
export function schemaOf(
  metadata: unknown,
  declared: { readonly inputs?: DeclaredTypes; readonly outputs?: DeclaredTypes },
  at: string,
): Schema {
  try {
    const fields = objectAt(metadata, 'the metadata');
    const ports = (side: 'inputs' | 'outputs') => {
      const types = declared[side];
      const list =
        types === undefined
          ? listAt(fields[side], side).map((entry, index) => portOf(entry, `${side}[${index}]`))
          : Object.entries(types).map(([name, type]) => declaredPort(name, type, `${side}.${name}`));
      if (list.length === 0) throw unsupported(`one of the ${side} or more`, 'none', side);
      const names = new Set(list.map(({ name }) => name));
      if (names.size < list.length) throw unsupported('different names', 'a name twice', side);
      return list;
    };
    return { inputs: ports('inputs'), outputs: ports('outputs') };
  } catch (error) {
    if (!(error instanceof ProtocolError)) throw error;
    const { at: field, ...details } = error.details;
    throw externalError('ERR_EXTERNAL_MODEL', { ...details, at: `${at}, ${field ?? 'metadata'}`, cause: error });
  }
}

const unsupported = (expected: string, received: string, at: string) =>
  new ProtocolError('REQUEST', { expected, received, at });

function portOf(entry: unknown, at: string): ExternalPort {
  const fields = objectAt(entry, at);
  const name = nameAt(fields, at);
  const where = `${at} (${JSON.stringify(name.slice(0, 60))})`;
  if (name === '' || name === '__proto__') throw unsupported('a name', JSON.stringify(name), at);
  const { name: datatype } = datatypeNamed(fields.datatype, where);
  const dtype = DTYPES.get(datatype);
  if (dtype === undefined) throw unsupported(`datatype ${[...DTYPES.keys()].join(', ')}`, datatype, where);
  const [rows, ...axes] = listAt(fields.shape, `${where}.shape`);
  const isRows = rows === -1 && axes.every((size) => Number.isSafeInteger(size) && Number(size) >= 1);
  if (!isRows) {
    const received = `[${[rows, ...axes].join(', ')}]`.slice(0, 100);
    throw unsupported('a shape [-1, sizes...], with fixed sizes after the rows', received, where);
  }
  return port(name, typeOf(dtype, axes as number[]), axes as number[]);
}

function typeOf(dtype: DType, axes: readonly number[]): ExternalPort['type'] {
  const [size, ...more] = axes;
  // Many servers declare the shape [-1, 1] for one text or label per row.
  if (size === undefined || (more.length === 0 && size === 1 && dtype === 'string')) return scalar(dtype);
  return more.length === 0 ? vector(dtype, size) : (tensor(dtype, axes) as ExternalPort['type']);
}

function declaredPort(name: string, type: ValueType, at: string): ExternalPort {
  const kinds = ['scalar', 'vector', 'tensor'];
  if (!kinds.includes(type?.kind)) throw unsupported('a scalar, vector or tensor', String(type?.kind), at);
  const known = type as ExternalPort['type'];
  return port(name, known, metadataOf({ name, type: known } as Parameters<typeof metadataOf>[0]).shape.slice(1));
}

function port(name: string, type: ExternalPort['type'], axes: readonly number[]): ExternalPort {
  const { datatype } = metadataOf({ name, type } as Parameters<typeof metadataOf>[0]);
  return { name, type, datatype, element: type.dtype, axes };
}

/** Describes a schema as a text. Equal schemas have equal texts. */
export const printSchema = ({ inputs, outputs }: Schema): string =>
  [inputs, outputs]
    .map((ports) => ports.map(({ name, datatype, axes }) => `${name}: ${datatype}[${['rows', ...axes].join(', ')}]`))
    .map((ports) => ports.join(', '))
    .join(' -> ');
