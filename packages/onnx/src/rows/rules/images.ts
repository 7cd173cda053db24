import { axisOf, type BatchRule, besides, onlyRow, type RuleUse } from '../rule.js';
import type { Batch } from '../value.js';

/**
 * Returns the batch rule of an operator that processes each entry of the first axis separately. The
 * first axis must count the rows in input 0 and in the inputs `beside`, if they are present. All
 * other inputs must not depend on the row.
 */
const firstAxis =
  (...beside: readonly number[]): BatchRule =>
  (use) => {
    const together = [0, ...beside];
    use.inputs.forEach((input, index) => {
      if (input === undefined) return;
      if (together.includes(index) !== (input.batch !== undefined))
        throw use.mixes(`input ${index} ${input.batch === undefined ? 'is the same for all rows' : 'has rows'}`);
      if (input.batch !== undefined && !isFirst(input.batch)) throw use.mixes('rows must lie along its first axis');
    });
    return use.inputs[0]!.batch!;
  };

const isFirst = ({ axis, before, after }: Batch) => axis === 0 && before === 1 && after === 1;

/** Batch rule for Attention. The mask may also be a constant. */
const attention: BatchRule = (use) => {
  const mask = use.inputs[3];
  const isShared = mask !== undefined && mask.batch === undefined;
  if (isShared && mask.dims.length === 4 && mask.dims[0] !== 1) throw use.mixes('a mask with rows of its own');
  if (!isShared && mask !== undefined && mask.dims.length !== 4) throw use.mixes('a mask of fewer axes has rows');
  const inputs = isShared ? use.inputs.toSpliced(3, 1, undefined) : use.inputs;
  return firstAxis(1, 2, 3, 4, 5, 6)({ ...use, inputs });
};

/**
 * Batch rule for RotaryEmbedding. With position ids, the tables of cosines and sines must not
 * depend on the row. Without position ids, their first axis counts the rows.
 */
const rotary: BatchRule = (use) =>
  use.inputs[3] === undefined
    ? firstAxis(1, 2)(use)
    : firstAxis(...(use.inputs[3].batch === undefined ? [] : [3]))(use);

/**
 * Batch rule for Resize. The axis that counts the rows must keep its size: its scale must be 1, or
 * its target size must be the number of rows.
 */
const resize: BatchRule = (use) => {
  const row = onlyRow(use);
  if (use.attributes.string('coordinate_transformation_mode', '') === 'tf_crop_and_resize')
    throw use.mixes('a region of the rows');
  const axes = use.attributes.has('axes') ? use.attributes.ints('axes') : [...row.dims.keys()];
  const numbers = resizedBy(use);
  if (numbers === undefined) throw use.mixes('scales or sizes that depend on the row');
  const other = numbers.forTwoRows ?? numbers.values;
  if (
    axes.some((axis, at) => axisOf(use, axis, row.dims.length) !== row.batch.axis && other[at] !== numbers.values[at])
  )
    throw use.mixes('a size that depends on the number of rows');
  const works = axes.filter(
    (axis, at) => numbers.values[at] !== (numbers.areSizes ? row.dims[axisOf(use, axis, row.dims.length)] : 1),
  );
  return besides(use, row, works);
};

interface ResizedBy {
  readonly values: readonly number[];
  readonly areSizes: boolean;
  /** The target sizes for two rows, if they depend on the number of rows. */
  readonly forTwoRows?: readonly number[];
}

const numbersOf = (data: unknown) => Array.from(data as ArrayLike<number | bigint>, Number);

function resizedBy(use: RuleUse): ResizedBy | undefined {
  if (use.attributes.has('scales')) return { values: numbersOf(use.attributes.floats('scales')), areSizes: false };
  const scales = use.inputs[scalesIndex(use)];
  const input = scales !== undefined && (scales.dims[0] ?? 0) > 0 ? scales : use.inputs[3];
  if (input?.constant === undefined) return undefined;
  const two = input.byRows?.[1];
  const values = numbersOf(input.constant.data);
  return { values, areSizes: input !== scales, ...(two !== undefined && { forTwoRows: numbersOf(two.data) }) };
}

/** Returns the index of the input of Resize or Upsample that contains the scales. */
export const scalesIndex = ({ operator, opset }: { readonly operator: string; readonly opset: number }): number =>
  operator === 'Resize' && opset >= 11 ? 2 : 1;

const centerCropPad: BatchRule = (use) => {
  const row = onlyRow(use);
  const axes = use.attributes.has('axes') ? use.attributes.ints('axes') : [...row.dims.keys()];
  const sizes = use.ints(1) ?? [];
  return besides(
    use,
    row,
    axes.filter((axis, at) => sizes[at] !== row.dims[axisOf(use, axis, row.dims.length)]),
  );
};

export const imageRules: Readonly<Record<string, BatchRule>> = {
  QLinearConv: firstAxis(),
  Col2Im: firstAxis(),
  DeformConv: firstAxis(2, 4),
  MaxUnpool: firstAxis(1),
  GridSample: firstAxis(1),
  Attention: attention,
  RotaryEmbedding: rotary,
  Resize: resize,
  Upsample: resize,
  CenterCropPad: centerCropPad,
};
