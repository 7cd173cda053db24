import type { DenseBlock, ReferenceKernel } from '@brezel/core';

/** The tasks of the operator. The attribute of the kernel is the index of a task. */
export const missingValueTasks = ['indicate', 'replace'] as const;
export type MissingValueTask = (typeof missingValueTasks)[number];

/**
 * Finds or replaces missing values. `indicate` returns 1 for NaN, otherwise 0. `replace` returns
 * the column's replacement for NaN.
 */
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
