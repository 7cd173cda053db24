import { printable } from '@brezel/oven/explain-views';

/** The fonts of a picture: for words, titles, and code. */
export type Font = 'sans' | 'bold' | 'mono';

// It is unknown which font a viewer uses. DejaVu is the widest of the fonts that the picture
// requests, and the widths here are at least the widths of DejaVu. A text that fits with these
// widths therefore also fits in Helvetica, Arial and Liberation.
const narrow = new Set('iljI|!\'.,:;()[]/\\ ftr-`"');
const wide = new Set('mwMW@%…');
const MONO_EM = 0.605;
const BOLD_FACTOR = 1.13;
/**
 * An upper bound for the width of ideographs, emoji and other characters outside Latin, Greek and
 * Cyrillic, in multiples of the font size.
 */
const FOREIGN_EM = 1.4;

/**
 * A text may be wider than the given width by this many pixels, because sums of widths depend on
 * the order of the additions.
 */
const ROUNDING = 0.01;

/** Returns an upper bound of the width of a text, in pixels. */
export function textWidth(text: string, font: Font, size: number): number {
  let em = 0;
  for (const character of text) em += font === 'mono' ? monoEm(character) : sansEm(character);
  return em * size * (font === 'bold' ? BOLD_FACTOR : 1);
}

const isForeign = (character: string) => character.codePointAt(0)! > 0x52f && !/[‐-‧←-⇿]/u.test(character);
const monoEm = (character: string) => (isForeign(character) ? FOREIGN_EM : MONO_EM);

function sansEm(character: string): number {
  if (isForeign(character)) return FOREIGN_EM;
  if (narrow.has(character)) return 0.42;
  if (wide.has(character)) return 1;
  return /[a-z0-9]/.test(character) ? 0.64 : 0.82;
}

/** Returns a text of at most `width` pixels. Cuts a wider text and appends an ellipsis. */
export function fitText(content: string, font: Font, size: number, width: number): string {
  const text = printable(content);
  if (textWidth(text, font, size) <= width + ROUNDING) return text;
  const room = width - textWidth('…', font, size);
  let fitting = '';
  let used = 0;
  for (const character of text) {
    used += textWidth(character, font, size);
    if (used > room) break;
    fitting += character;
  }
  return `${fitting.trimEnd()}…`;
}
