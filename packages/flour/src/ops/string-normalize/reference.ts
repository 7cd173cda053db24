import { type ParameterValue, type ReferenceKernel, type StringBlock, strings } from '@brezel/core';
import { type CaseAction, stopWordTest } from '@brezel/tensors';
import { foldText } from '@brezel/text';

/**
 * Folds the case of each code point, then replaces each text that equals a stop word by the empty
 * text. ONNX removes such texts from a batch. For a batch of one row, ONNX returns one empty
 * string; Brezel returns this answer for every row.
 */
export const reference: ReferenceKernel = ({ rows, inputs, attributes, parameters }) => {
  const { action, caseSensitive } = attributes as { action: CaseAction; caseSensitive: boolean };
  const { stopWords } = parameters;
  const isStop = stopWords?.dtype === 'string' ? stopTest(stopWords, action, caseSensitive) : () => false;
  const values = (inputs[0] as StringBlock).values.map((value) => (isStop(value) ? '' : foldText(value, action)));
  return strings(rows, 1, values);
};

type StringValues = Extract<ParameterValue, { dtype: 'string' }>;

/**
 * Caches the functions that recognize stop words for each parameter, because a plan passes the same
 * parameter in each call.
 */
const tests = new WeakMap<StringValues, Map<string, ReturnType<typeof stopWordTest>>>();

function stopTest(stopWords: StringValues, action: CaseAction, caseSensitive: boolean) {
  const known = tests.get(stopWords) ?? new Map<string, ReturnType<typeof stopWordTest>>();
  tests.set(stopWords, known);
  const key = `${action}, ${caseSensitive}`;
  const test = known.get(key) ?? stopWordTest(stopWords.values, action, caseSensitive);
  known.set(key, test);
  return test;
}
