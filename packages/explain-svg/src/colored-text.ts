import type { SignedPart } from './contribution-names.js';
import { colours } from './palette.js';
import { round, text, xmlText } from './shapes.js';
import { textWidth } from './text-width.js';

const LINE_HEIGHT = 20;
const WORDS = { font: 'sans', size: 13 } as const;
const LABEL = { font: 'sans', size: 12, fill: colours.faint } as const;
/**
 * The largest number of lines of a text. A longer text is cut, and ends with the number of omitted
 * characters.
 */
const MOST_LINES = 40;

/** Words with the same sign in one line. */
interface Piece {
  text: string;
  readonly sign: number;
}

/**
 * Draws a text with its words in color: blue words increase the score, and orange, underlined
 * words decrease it. Lines are at most `width` pixels wide.
 */
export function coloredText(input: string, parts: readonly SignedPart[], width: number) {
  const { lines, left } = linesOf(parts, width);
  const draw = (x: number, y: number): string => {
    const rows = lines.map((pieces, row) => lineOf(pieces, x, y + (row + 1.5) * LINE_HEIGHT));
    const more =
      left === 0 ? [] : [text(x, y + (lines.length + 1.5) * LINE_HEIGHT, `… ${left} more characters`, LABEL)];
    return [text(x, y + LINE_HEIGHT / 2, input, LABEL), ...rows, ...more].join('\n');
  };
  return { height: (lines.length + (left === 0 ? 1 : 2)) * LINE_HEIGHT, draw };
}

/** Divides a text into lines, between words if possible. */
function linesOf(parts: readonly SignedPart[], width: number): { lines: Piece[][]; left: number } {
  const lines: Piece[][] = [[]];
  let used = 0;
  let left = 0;
  for (const { word, sign } of wordsOf(parts, width)) {
    const size = widthOf(word, sign);
    const isBlank = word.trim() === '';
    if (left > 0 || (used > 0 && used + size > width && lines.length === MOST_LINES)) {
      left += word.length;
      continue;
    }
    if (used > 0 && used + size > width) {
      lines.push([]);
      used = 0;
    }
    if (used === 0 && isBlank) continue; // blanks at the start of a line
    const last = lines.at(-1)!.at(-1);
    if (last?.sign === sign) last.text += word;
    else lines.at(-1)!.push({ text: word, sign });
    used += size;
  }
  return { lines: lines.filter((pieces) => pieces.length > 0), left };
}

const widthOf = (word: string, sign: number) => textWidth(word, sign === 0 ? 'sans' : 'bold', WORDS.size);

/** Yields words and blanks. A word that is wider than a line is divided. */
function* wordsOf(parts: readonly SignedPart[], width: number): Generator<{ word: string; sign: number }> {
  for (const { text: whole, sign } of parts)
    for (const word of whole.replace(/\s/gu, ' ').match(/ +|[^ ]+/gu) ?? []) {
      let piece = '';
      let used = 0;
      for (const character of word) {
        const size = widthOf(character, sign);
        if (used + size > width && piece !== '') {
          yield { word: piece, sign };
          [piece, used] = ['', 0];
        }
        piece += character;
        used += size;
      }
      yield { word: piece, sign };
    }
}

function lineOf(pieces: readonly Piece[], x: number, y: number): string {
  const spans = pieces.map(({ text: words, sign }) => {
    const content = xmlText(words);
    if (sign === 0) return `<tspan>${content}</tspan>`;
    const [fill, more] =
      sign > 0 ? [colours.featurizer.line, ''] : [colours.model.line, ' text-decoration="underline"'];
    return `<tspan class="bz-bold" fill="${fill}"${more}>${content}</tspan>`;
  });
  return `<text class="bz-sans" xml:space="preserve" x="${round(x)}" y="${round(y + WORDS.size * 0.35)}" font-size="${WORDS.size}" fill="${colours.ink}">${spans.join('')}</text>`;
}
