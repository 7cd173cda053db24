import { foldText } from '@brezel/text';

export type CaseAction = 'none' | 'lower' | 'upper';

/**
 * Returns a test whether a text equals a stop word. Without case sensitivity, both are folded
 * first: as the action says, or to lower case.
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
