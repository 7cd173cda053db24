import {
  type Block,
  dense,
  dtypeOf,
  type NumericDType,
  numericArray,
  sizeOf,
  strings,
  type ValueType,
} from '@brezel/core';

/** An output of a segment: its slot in the plan, and the strings of its labels. */
export interface SegmentOutput {
  readonly slot: number;
  readonly type: ValueType;
  readonly labels: readonly string[] | undefined;
}

interface SegmentInput {
  readonly slot: number;
  readonly type: ValueType;
}

/** Converts rows of a segment to chunks for executors, and answers of executors to blocks. */
export interface SegmentChunks {
  /** Handle of the segment in the addon. The addon runs the segment as if it were a whole plan. */
  readonly handle: number;
  /** The number of values in the answer to one row. */
  readonly width: number;
  columnsOf(slots: readonly Block[]): (readonly (string | Uint8Array)[] | Float64Array)[];
  /** Writes row-major answers into the slots of the plan. */
  write(slots: Block[], numbers: Float64Array, rows: number): void;
}

/**
 * Returns the converter of a segment, or undefined if the type of an input or output is
 * unsupported. Chunks can hold texts and float64 numbers. Out-arrays can hold numbers and labels.
 */
export function segmentChunks(
  handle: number,
  inputs: readonly SegmentInput[],
  outputs: readonly SegmentOutput[],
): SegmentChunks | undefined {
  if (!inputs.every(({ type }) => goesIn(type)) || !outputs.every(comesOut)) return undefined;
  const sizes = outputs.map(({ type }) => sizeOf(type));
  const width = sizes.reduce((sum, size) => sum + size, 0);
  return {
    handle,
    width,
    columnsOf: (slots) => inputs.map(({ slot }) => columnOf(slots[slot]!)),
    write(slots, numbers, rows) {
      let offset = 0;
      outputs.forEach((output, at) => {
        slots[output.slot] = blockOf(output, numbers, { rows, size: sizes[at]!, offset, width });
        offset += sizes[at]!;
      });
    },
  };
}

const isPlain = ({ kind }: ValueType): boolean => kind === 'scalar' || kind === 'vector';
const isText = (type: ValueType): boolean => isPlain(type) && dtypeOf(type) === 'string';
const isNumber = (type: ValueType): boolean =>
  isPlain(type) && (['float32', 'float64', 'int32', 'bool'] as readonly string[]).includes(dtypeOf(type));

const goesIn = (type: ValueType): boolean => isText(type) || isNumber(type);
const comesOut = ({ type, labels }: SegmentOutput): boolean => (labels === undefined ? isNumber(type) : isText(type));

function columnOf(block: Block) {
  if (block.kind === 'strings') return block.values;
  return Float64Array.from((block as { readonly values: ArrayLike<number> }).values);
}

interface Place {
  readonly rows: number;
  readonly size: number;
  readonly offset: number;
  readonly width: number;
}

function blockOf({ type, labels }: SegmentOutput, numbers: Float64Array, { rows, size, offset, width }: Place): Block {
  const dtype = labels === undefined ? (dtypeOf(type) as NumericDType) : 'int32';
  const values = numericArray(dtype, rows * size);
  for (let row = 0; row < rows; row++) {
    const start = row * width + offset;
    values.set(numbers.subarray(start, start + size) as never, row * size);
  }
  if (labels === undefined) return dense(dtype, rows, size, values as never);
  return strings(
    rows,
    size,
    Array.from(values as Int32Array, (label) => labels[label]!),
  );
}
