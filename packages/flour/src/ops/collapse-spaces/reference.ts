import { type ReferenceKernel, type StringBlock, strings } from '@brezel/core';
import { classExpression, unicodeSpace } from '@brezel/text';

const several = classExpression(unicodeSpace, '{2,}');

/** Two or more white spaces become one space; a single one stays what it is. */
export const reference: ReferenceKernel = ({ rows, inputs }) =>
  strings(
    rows,
    1,
    (inputs[0] as StringBlock).values.map((value) => value.replace(several, ' ')),
  );
