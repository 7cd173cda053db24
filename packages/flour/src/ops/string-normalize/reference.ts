import { type ReferenceKernel, type StringBlock, strings } from '@brezel/core';
import { foldText } from '@brezel/text';

export type CaseAction = 'none' | 'lower' | 'upper';

/**
 * Whether a text equals a stop word. Without case sensitivity both sides are compared folded: as the action says, or to lower case.
 */
export function stopWordTest(
  stopWords: readonly string[],
  action: CaseAction,
  caseSensitive: boolean,
): (text: string) => boolean {
  const compared = (text: string) => (caseSensitive ? text : foldText(text, action === 'none' ? 'lower' : action));
  const stops = new Set(stopWords.map(compared));
  return (text) => stops.has(compared(text));
}

/**
 * Folds case code point by code point, then empties every text that equals a stop word. ONNX removes such rows from the batch; here a
 * row answers as it does alone, where ONNX leaves one empty string.
 */
export const reference: ReferenceKernel = ({ rows, inputs, attributes, parameters }) => {
  const { action, caseSensitive } = attributes as { action: CaseAction; caseSensitive: boolean };
  const { stopWords } = parameters;
  const isStop = stopWordTest(stopWords?.dtype === 'string' ? stopWords.values : [], action, caseSensitive);
  const values = (inputs[0] as StringBlock).values.map((value) => (isStop(value) ? '' : foldText(value, action)));
  return strings(rows, 1, values);
};
