import { printable } from '@brezel/oven/explain-views';

/** The two kinds of letters in a picture: for titles and words, and for what is code. */
export type Font = 'sans' | 'bold' | 'mono';

// Nobody knows which font a viewer has. Widths are those of DejaVu, the widest of the fonts that the picture asks for, or above: what fits by
// this table fits in Helvetica, Arial and Liberation with room to spare.
const narrow = new Set('iljI|!\'.,:;()[]/\\ ftr-`"');
const wide = new Set('mwMW@%…');
const MONO_EM = 0.605;
const BOLD_FACTOR = 1.13;
/** Beyond Latin, Greek and Cyrillic: ideographs, emoji, the sign for what cannot be shown. */
const FOREIGN_EM = 1.4;

/** What is reckoned in another order may come out this much wider. */
const ROUNDING = 0.01;

/** Width of a text in pixels, at most. */
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

/** The text as it can be shown, cut and ended with an ellipsis where it is wider than `width`. */
export function fitText(content: string, font: Font, size: number, width: number): string {
  const text = printable(content);
  if (textWidth(text, font, size) <= width + ROUNDING) return text;
  const room = width - textWidth('…', font, size);
  let kept = '';
  let used = 0;
  for (const character of text) {
    used += textWidth(character, font, size);
    if (used > room) break;
    kept += character;
  }
  return `${kept.trimEnd()}…`;
}
