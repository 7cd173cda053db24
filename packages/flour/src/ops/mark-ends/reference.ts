import { type ReferenceKernel, type StringBlock, strings } from '@brezel/core';

export const reference: ReferenceKernel = ({ rows, inputs, attributes }) =>
  strings(
    rows,
    1,
    (inputs[0] as StringBlock).values.map((value) =>
      value === '' ? '' : `${attributes.start}${value}${attributes.end}`,
    ),
  );
