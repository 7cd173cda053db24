import { type ReferenceKernel, type StringBlock, strings } from '@brezel/core';
import { type AccentAction, lowerText, stripAccents } from '@brezel/text';

export interface PreprocessAttributes {
  readonly lowercase: boolean;
  readonly stripAccents: AccentAction | null;
}

/** Converts to lower case first, then removes accents, as scikit-learn does. */
export const reference: ReferenceKernel = ({ rows, inputs, attributes }) => {
  const { lowercase, stripAccents: accents } = attributes as unknown as PreprocessAttributes;
  const values = (inputs[0] as StringBlock).values.map((value) => {
    const lower = lowercase ? lowerText(value) : value;
    return accents === null ? lower : stripAccents(lower, accents);
  });
  return strings(rows, 1, values);
};
