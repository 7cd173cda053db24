import { type ReferenceKernel, type StringBlock, strings } from '@brezel/core';
import { type CaseAction, stopWordTest } from '@brezel/tensors';
import { foldText } from '@brezel/text';

/**
 * Folds case code point by code point, then empties every text that equals a stop word. ONNX
 * removes such rows from a batch. Brezel answers each row as ONNX answers a batch of one, for which
 * ONNX returns one empty string.
 */
export const reference: ReferenceKernel = ({ rows, inputs, attributes, parameters }) => {
  const { action, caseSensitive } = attributes as { action: CaseAction; caseSensitive: boolean };
  const { stopWords } = parameters;
  const isStop = stopWordTest(stopWords?.dtype === 'string' ? stopWords.values : [], action, caseSensitive);
  const values = (inputs[0] as StringBlock).values.map((value) => (isStop(value) ? '' : foldText(value, action)));
  return strings(rows, 1, values);
};
