import { isAscii } from './case-folding.js';
import { readRuns, type SparsePages } from './code-point-table.js';
import { accentedRuns, combiningRanges, strippedExpansions, strippedRuns } from './generated/unicode-tables.js';
import { packedNumbers } from './packed-numbers.js';

/**
 * The modes of scikit-learn's `strip_accents`. Both first decompose characters, for example é into
 * e and an accent. Then `unicode` removes combining marks, and `ascii` removes all characters that
 * are not ASCII.
 */
export type AccentAction = 'unicode' | 'ascii';

const HANGUL_FIRST = 0xac00;
const HANGUL_LAST = 0xd7a3;
const [LEADING, VOWEL, TRAILING] = [0x1100, 0x1161, 0x11a7];
const [VOWELS, TRAILERS] = [21, 28];

interface Tables {
  /** For each code point with a single replacement: the replacement minus the code point. */
  readonly deltas: SparsePages;
  readonly expansions: ReadonlyMap<number, readonly number[]>;
}

let tables: Tables | undefined;

function readTables(): Tables {
  const expansions = new Map<number, readonly number[]>();
  const listed = packedNumbers(strippedExpansions);
  for (let index = 0; index < listed.length; ) {
    const [codePoint, count] = [listed[index]!, listed[index + 1]!];
    expansions.set(codePoint, listed.slice(index + 2, index + 2 + count));
    index += 2 + count;
  }
  const marks = packedNumbers(combiningRanges);
  for (let index = 0; index < marks.length; index += 2) {
    for (let mark = marks[index]!; mark <= marks[index + 1]!; mark++) expansions.set(mark, []);
  }
  return { deltas: readRuns(packedNumbers(strippedRuns)), expansions };
}

/**
 * Decomposes one code point (NFKD) and removes combining marks: é → e, ﬁ → f i, ½ → 1 ⁄ 2, U+FDFA →
 * 18 code points, a combining mark → nothing. With `ascii`, also removes all other characters that
 * are not ASCII.
 *
 * A text can be processed code point by code point, because the canonical order of Unicode moves
 * only combining marks.
 */
export function stripCodePoint(codePoint: number, action: AccentAction): readonly number[] {
  const stripped = decomposed(codePoint);
  return action === 'ascii' ? stripped.filter((part) => part < 128) : stripped;
}

function decomposed(codePoint: number): readonly number[] {
  if (codePoint < 128) return [codePoint];
  if (codePoint >= HANGUL_FIRST && codePoint <= HANGUL_LAST) return jamo(codePoint - HANGUL_FIRST);
  tables ??= readTables();
  const delta = tables.deltas.page(codePoint >> 8)?.[codePoint & 0xff] ?? 0;
  return tables.expansions.get(codePoint) ?? [codePoint + delta];
}

let accented: SparsePages | undefined;

/**
 * Removes the diacritics of a Latin, Greek or Cyrillic letter up to U+04FF, by canonical
 * decomposition. Returns other code points unchanged.
 */
export function baseLetter(codePoint: number): number {
  accented ??= readRuns(packedNumbers(accentedRuns));
  return codePoint + (accented.page(codePoint >> 8)?.[codePoint & 0xff] ?? 0);
}

/**
 * Returns the letters of a Hangul syllable (Unicode, section 3.12). `syllable` is counted from the
 * first syllable.
 */
function jamo(syllable: number): number[] {
  const trailing = syllable % TRAILERS;
  const pair = Math.floor(syllable / TRAILERS);
  const letters = [LEADING + Math.floor(pair / VOWELS), VOWEL + (pair % VOWELS)];
  return trailing === 0 ? letters : [...letters, TRAILING + trailing];
}

/** Applies `stripCodePoint` to each code point of a text. */
export function stripAccents(text: string, action: AccentAction): string {
  if (isAscii(text)) return text;
  return [...text]
    .flatMap((character) => stripCodePoint(character.codePointAt(0)!, action).map((to) => String.fromCodePoint(to)))
    .join('');
}
