import { foldText } from '@brezel/text';

export type CaseAction = 'none' | 'lower' | 'upper';

/**
 * Returns a function that returns whether a text equals a stop word. Without case sensitivity, text
 * and stop words are folded first: by the given action, or to lower case for the action `none`.
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
