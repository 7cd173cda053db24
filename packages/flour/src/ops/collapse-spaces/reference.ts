import { type ReferenceKernel, type StringBlock, strings } from '@brezel/core';
import { classExpression, unicodeSpace } from '@brezel/text';

export const several = classExpression(unicodeSpace, '{2,}');

/**
 * Replaces two or more adjacent white-space characters by one space. A single white-space character
 * stays unchanged.
 */
export const reference: ReferenceKernel = ({ rows, inputs }) =>
  strings(
    rows,
    1,
    (inputs[0] as StringBlock).values.map((value) => value.replace(several, ' ')),
  );
