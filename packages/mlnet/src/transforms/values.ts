import { dtypeOf, type NumericDType } from '@brezel/core';
import type { Flow } from '@brezel/flour';
import { type Column, floatsOf, onVector, valueColumn, valuesOf } from '../column.js';
import { eachColumn, type TransformReader } from '../component.js';
import { unsupported } from '../errors.js';
import type { ModelPart } from '../model-part.js';

/** Target types of a type conversion, by the numbers that ML.NET assigns to types. */
const targets: Readonly<Record<number, NumericDType>> = { 9: 'float32', 10: 'float64' };

export const typeConverter: TransformReader = {
  newest: 0x00010004,
  read(part, pipeline) {
    if (part.version < 0x00010003) part.floatSize();
    const apply = (column: Column, to: NumericDType) => valueColumn(converted(column, to, part));
    eachColumn(part, pipeline, () => readTarget(part), apply);
  },
};

function readTarget(part: ModelPart): NumericDType {
  const kind = part.byte();
  const dtype = targets[kind];
  if (dtype === undefined)
    throw unsupported(part.at, `a conversion to type ${kind & 0x7f}${kind > 0x7f ? ', keys' : ''}`);
  return dtype;
}

function converted(column: Column, to: NumericDType, part: ModelPart): Flow {
  const flow = valuesOf(column, part.at);
  if (dtypeOf(flow.type) === 'string') throw unsupported(part.at, 'a conversion of texts');
  return onVector(flow, (vector) => vector.densify().cast(to));
}

/**
 * Reads ReplaceMissingValues for columns of one number. The component stores the replacement of
 * NaN.
 */
export const replaceMissing: TransformReader = {
  newest: 0x00010002,
  read(part, pipeline) {
    const apply = (column: Column, value: number) => {
      floatsOf(column, part.at);
      return valueColumn(onVector(valuesOf(column, part.at), (vector) => vector.replaceMissing(value)));
    };
    eachColumn(part, pipeline, () => readSingle(part), apply);
  },
};

/** Reads the type and the value of a replacement. Throws unless the type is Single (float32). */
function readSingle(part: ModelPart): number {
  const type = part.text();
  part.bytes(part.leb());
  if (type !== 'Single') throw unsupported(part.at, `replacements of type ${type.slice(0, 40)}`);
  return part.float();
}
