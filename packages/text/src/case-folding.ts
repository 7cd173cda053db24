import { readRuns, type SparsePages } from './code-point-table.js';
import { lowerRuns, upperRuns } from './generated/case-tables.js';

/** A case conversion. ONNX's `StringNormalizer` has the same three. */
export type CaseAction = 'none' | 'lower' | 'upper';

const tables: Partial<Record<'lower' | 'upper', SparsePages>> = {};

function deltas(action: 'lower' | 'upper'): SparsePages {
  const known = tables[action];
  if (known !== undefined) return known;
  const table = readRuns(action === 'lower' ? lowerRuns : upperRuns);
  tables[action] = table;
  return table;
}

/**
 * Returns, for each code point in a page of 256, the number that the case mapping adds to the code
 * point. Returns undefined if the mapping changes no code point of the page.
 */
export function foldDeltas(page: number, action: CaseAction): Int32Array | undefined {
  return action === 'none' ? undefined : deltas(action).page(page);
}

/**
 * Returns the code point to which the case mapping converts one code point: İ → i, Σ → σ, ẞ → ß.
 * The result is the same on every machine and in every locale.
 *
 * If Unicode maps a code point to several code points, it stays unchanged, such as ß in upper case.
 * ASCII stays ASCII. The Kelvin sign K becomes k.
 *
 * Cost: one table look-up.
 */
export function foldCodePoint(codePoint: number, action: CaseAction): number {
  return codePoint + (foldDeltas(codePoint >> 8, action)?.[codePoint & 0xff] ?? 0);
}

/**
 * Applies `foldCodePoint` to each code point of a text. Unlike `toLowerCase`, it does not treat a
 * sigma at the end of a word differently, and it never adds code points.
 */
export function foldText(text: string, action: CaseAction): string {
  if (action === 'none') return text;
  if (isAscii(text)) return action === 'lower' ? text.toLowerCase() : text.toUpperCase();
  let folded = '';
  for (const character of text) folded += String.fromCodePoint(foldCodePoint(character.codePointAt(0)!, action));
  return folded;
}

export function isAscii(text: string): boolean {
  for (let i = 0; i < text.length; i++) if (text.charCodeAt(i) > 127) return false;
  return true;
}
