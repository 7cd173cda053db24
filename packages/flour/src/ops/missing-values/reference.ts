import type { DenseBlock, ReferenceKernel } from '@brezel/core';

/** `indicate`: 1 where a value is NaN, else 0. `replace`: the column's replacement where it is. */
export const reference: ReferenceKernel = ({ inputs, attributes, parameters }) => {
  const block = inputs[0] as DenseBlock<'float32'>;
  const replacements = (parameters.replacements as { data: Float32Array } | undefined)?.data;
  const values = block.values.map((value, at) =>
    attributes.task === 'indicate'
      ? Number(Number.isNaN(value))
      : Number.isNaN(value)
        ? replacements![at % block.size]!
        : value,
  );
  return { ...block, values };
};
