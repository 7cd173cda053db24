import { indexBelow, sizeOf } from '@brezel/core';
import type { Flow } from '@brezel/flour';
import { type Column, floatsOf, onVector, valueColumn, valuesOf } from '../column.js';
import { eachColumn, type TransformReader } from '../component.js';
import { mlNetError, unsupported } from '../errors.js';
import type { ModelPart } from '../model-part.js';

/** The number that ML.NET uses for the type Single. */
const SINGLE = 9;

export const normalizer: TransformReader = {
  newest: 0x00010002,
  read(part, pipeline) {
    const readOptions = (at: number) => {
      readType(part);
      return readFunction(part.part(`Normalizer_${String(at).padStart(3, '0')}`));
    };
    eachColumn(part, pipeline, readOptions, (column, { size, apply }) => {
      const received = sizeOf(floatsOf(column, part.at).type);
      if (received !== size)
        throw mlNetError('ERR_MLNET_COLUMN', { expected: `${size} numbers`, received: `${received}`, at: part.at });
      return valueColumn(onVector(valuesOf(column, part.at), apply));
    });
  },
};

/**
 * Reads the type of a column: its element type, and the length of a vector. Throws unless the
 * importer supports the element type.
 */
function readType(part: ModelPart): void {
  const isVector = part.bool();
  if (isVector && part.version < 0x00010002) part.int();
  if (!isVector && part.version < 0x00010002) part.int();
  const item = part.byte();
  if (item !== SINGLE) throw unsupported(part.at, 'a normalizer of doubles');
  if (isVector && part.version >= 0x00010002) part.ints();
}

interface ColumnFunction {
  readonly size: number;
  readonly apply: (flow: Flow<'vector'>) => Flow<'vector'>;
}

function readFunction(part: ModelPart): ColumnFunction {
  if (part.loader === 'AffineNormExec') return affine(part.upTo(0x00010003));
  if (part.loader === 'CdfNormalizeFunction') return cdf(part.upTo(0x00010001));
  throw unsupported(part.at, `normalizer ${part.loader}`);
}

/**
 * Reads a normalizer that computes (x - offset) * scale. Elements without a scale and offset stay
 * unchanged.
 */
function affine(part: ModelPart): ColumnFunction {
  part.floatSize();
  const size = sizeOfFunction(part);
  const named = part.int();
  const places = named === -1 ? undefined : part.ints(named);
  const count = places?.length ?? size;
  const scales = part.floats(part.count(4));
  const offsets = part.floats(part.count(4));
  part.end();
  if (scales.length !== count || (offsets.length !== 0 && offsets.length !== count))
    throw part.fail(`${count} scales and offsets`, `${scales.length} and ${offsets.length}`);
  if ([...scales, ...offsets].some(Number.isNaN)) throw part.fail('numbers', 'a NaN');
  part.takeElements(2 * size);
  const [scale, offset] = [new Float32Array(size).fill(1), new Float32Array(size)];
  scales.forEach((value, at) => {
    const place = places === undefined ? at : places[at]!;
    if (!(place >= 0 && place < size)) throw part.fail(indexBelow('a column', size), `${place}`);
    scale[place] = value;
    offset[place] = value === 0 ? 0 : (offsets[at] ?? 0);
  });
  const isCentered = offset.some((value) => value !== 0);
  const center = (flow: Flow<'vector'>) => (isCentered ? flow.arithmetic('subtract', offset) : flow.densify());
  return { size, apply: (flow) => center(flow).arithmetic('multiply', scale) };
}

function cdf(part: ModelPart): ColumnFunction {
  part.floatSize();
  const log = part.bool();
  const size = sizeOfFunction(part);
  const [mean, deviation] = [part.floats(size), part.floats(size)];
  part.end();
  return { size, apply: (flow) => flow.cdfNormalize({ mean, deviation, log }) };
}

function sizeOfFunction(part: ModelPart): number {
  const size = part.count(4);
  if (size === 0) throw part.fail('at least one column', 'none');
  return size;
}

/** The norms by which rows can be divided. The archive contains an index into this list. */
const norms = ['l2', 'deviation', 'l1', 'infinity'] as const;

export const lpNormalizer: TransformReader = {
  newest: 0x00010003,
  read(part, pipeline) {
    if (part.version <= 0x00010002) part.floatSize();
    const apply = (column: Column, norm: Norm) => valueColumn(normed(floatsOf(column, part.at), norm));
    eachColumn(part, pipeline, () => readNorm(part), apply);
  },
};

interface Norm {
  readonly subtractMean: boolean;
  readonly norm: (typeof norms)[number];
  readonly scale: number;
}

function readNorm(part: ModelPart): Norm {
  const subtractMean = part.bool();
  const number = part.version >= 0x00010002 ? part.byte() : Number(part.bool());
  const norm = norms[number];
  if (norm === undefined) throw part.fail('a norm from 0 to 3', `${number}`);
  const scale = part.float();
  if (!(scale > 0 && Number.isFinite(scale))) throw part.fail('a positive scale', `${scale}`);
  return { subtractMean, norm, scale };
}

/**
 * Adds an operator that divides each row by its norm. A sparse row stays sparse for the norms l1
 * and l2 without further options. In this case answers may differ from ML.NET in the last bit,
 * because ML.NET multiplies by the reciprocal of the norm.
 */
function normed(flow: Flow<'vector'>, { subtractMean, norm, scale }: Norm): Flow<'vector'> {
  const isSimple = !subtractMean && scale === 1 && (norm === 'l1' || norm === 'l2');
  if (isSimple && flow.type.kind === 'sparse') return flow.normalize(norm);
  return flow.lpNorm({ norm, subtractMean, scale });
}
