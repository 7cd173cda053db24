import { type ReferenceKernel, type StringBlock, strings } from '@brezel/core';

/** Replaces a text that equals the missing one. */
export const reference: ReferenceKernel = ({ rows, inputs, attributes }) => {
  const { missing, value } = attributes as { missing: string; value: string };
  return strings(
    rows,
    1,
    (inputs[0] as StringBlock).values.map((text) => (text === missing ? value : text)),
  );
};
