import type { DenseBlock, ReferenceKernel } from '@brezel/core';

/** The tasks of the operator `missing-values`. The kernel receives the index of a task. */
export const missingValueTasks = ['indicate', 'replace'] as const;
export type MissingValueTask = (typeof missingValueTasks)[number];

/**
 * Marks or replaces NaN. `indicate` returns 1 for NaN, otherwise 0. `replace` replaces NaN by the
 * number for its column, and returns other values unchanged.
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
