import { type ReferenceKernel, type StringBlock, strings } from '@brezel/core';

/** Replaces each text that equals the attribute `missing`. */
export const reference: ReferenceKernel = ({ rows, inputs, attributes }) => {
  const { missing, value } = attributes as { missing: string; value: string };
  return strings(
    rows,
    1,
    (inputs[0] as StringBlock).values.map((text) => (text === missing ? value : text)),
  );
};
