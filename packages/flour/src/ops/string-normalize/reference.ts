import { type ReferenceKernel, type StringBlock, strings } from '@brezel/core';
import { foldText } from '@brezel/object-store';

export type CaseAction = 'none' | 'lower' | 'upper';

/**
 * Folds case code point by code point, then empties every text that equals a stop word. ONNX removes such rows from the batch; here a
 * row answers as it does alone, where ONNX leaves one empty string.
 */
export const reference: ReferenceKernel = ({ rows, inputs, attributes, parameters }) => {
  const { action, caseSensitive } = attributes as { action: CaseAction; caseSensitive: boolean };
  // Without case sensitivity both sides are compared folded: as the action says, or to lower case.
  const compared = (value: string) => (caseSensitive ? value : foldText(value, action === 'none' ? 'lower' : action));
  const stopWords = parameters.stopWords;
  const stops = new Set(stopWords?.dtype === 'string' ? stopWords.values.map(compared) : []);
  const values = (inputs[0] as StringBlock).values.map((value) =>
    stops.has(compared(value)) ? '' : foldText(value, action),
  );
  return strings(rows, 1, values);
};
