import { CODE_POINTS, type CodePointTable, toPages } from './code-point-table.js';
import { lowerRuns, upperRuns } from './generated/case-tables.js';

/** What `StringNormalizer` does to the case of a text. */
export type CaseAction = 'none' | 'lower' | 'upper';

const tables: Partial<Record<'lower' | 'upper', CodePointTable>> = {};

function deltas(action: 'lower' | 'upper'): CodePointTable {
  const known = tables[action];
  if (known !== undefined) return known;
  const runs = action === 'lower' ? lowerRuns : upperRuns;
  const values = new Int32Array(CODE_POINTS);
  for (let at = 0; at < runs.length; at += 4) {
    const [first, count, step, delta] = [runs[at]!, runs[at + 1]!, runs[at + 2]!, runs[at + 3]!];
    for (let member = 0; member < count; member++) values[first + member * step] = delta;
  }
  const table = toPages(values);
  tables[action] = table;
  return table;
}

/**
 * The simple case mapping of one code point, the same on every machine and in every locale: İ → i, Σ → σ, ẞ → ß; what would need
 * several code points stays (ß has no upper case). ASCII stays ASCII, and K (Kelvin sign) → k enters it.
 *
 * Cost: a table look-up; the first call of an action builds its table (a few milliseconds).
 */
export function foldCodePoint(codePoint: number, action: CaseAction): number {
  if (action === 'none') return codePoint;
  const table = deltas(action);
  return codePoint + table.pages[(table.pageIndex[codePoint >> 8]! << 8) | (codePoint & 0xff)]!;
}

/** `foldCodePoint` over a whole text. Unlike `toLowerCase`, it never looks at neighbours (final sigma) and never adds code points. */
export function foldText(text: string, action: CaseAction): string {
  if (action === 'none') return text;
  if (isAscii(text)) return action === 'lower' ? text.toLowerCase() : text.toUpperCase();
  let folded = '';
  for (const character of text) folded += String.fromCodePoint(foldCodePoint(character.codePointAt(0)!, action));
  return folded;
}

function isAscii(text: string): boolean {
  for (let i = 0; i < text.length; i++) if (text.charCodeAt(i) > 127) return false;
  return true;
}
