import { type Column, textOf, valueColumn } from '../column.js';
import { eachColumn, readPairs, type TransformReader } from '../component.js';
import { unsupported } from '../errors.js';
import type { ModelPart } from '../model-part.js';

/** Case conversions. The archive contains an index into this list. */
const cases = ['lower', 'upper', 'none'] as const;

export const textNormalizer: TransformReader = {
  newest: 0x00010001,
  read(part, pipeline) {
    const pairs = readPairs(part);
    const number = part.byte();
    const action = cases[number];
    if (action === undefined) throw part.fail('a case from 0 to 2', `${number}`);
    const [keepDiacritics, keepPunctuations, keepNumbers] = [part.bool(), part.bool(), part.bool()];
    part.end();
    const options = { case: action, keepDiacritics, keepPunctuations, keepNumbers };
    pipeline.add(
      part.at,
      pairs.map(({ output, input }) => ({
        output,
        inputs: [input],
        apply: ([column]) => valueColumn(textOf(column!, part.at).normalizeText(options)),
      })),
    );
  },
};

export const wordTokenizer: TransformReader = {
  newest: 0x00010001,
  read(part, pipeline) {
    const apply = (column: Column, pattern: string): Column => {
      return { kind: 'tokens', flow: textOf(column, part.at).tokenize({ by: { pattern } }) };
    };
    eachColumn(part, pipeline, () => wordPattern(part), apply);
  },
};

/**
 * The characters that are white space for .NET's `char.IsWhiteSpace`, as an RE2 character class.
 */
const WHITE_SPACE =
  '\\x{9}-\\x{d} \\x{85}\\x{a0}\\x{1680}\\x{2000}-\\x{200a}\\x{2028}\\x{2029}\\x{202f}\\x{205f}\\x{3000}';
const MOST_SEPARATORS = 1000;

/**
 * Returns the regular expression of a word: a text between two separators, without white space at
 * its start and end.
 */
function wordPattern(part: ModelPart): string {
  const count = part.count(2);
  if (count === 0 || count > MOST_SEPARATORS) throw part.fail(`1 to ${MOST_SEPARATORS} separators`, `${count}`);
  const bytes = part.bytes(2 * count);
  const units = Array.from({ length: count }, (_, at) => bytes[2 * at]! + 256 * bytes[2 * at + 1]!);
  const half = units.find((unit) => unit >= 0xd800 && unit <= 0xdfff);
  if (half !== undefined) throw unsupported(part.at, 'half a surrogate pair as a separator');
  const separators = units.map((unit) => `\\x{${unit.toString(16)}}`).join('');
  const edge = `[^${WHITE_SPACE}${separators}]`;
  return `${edge}(?:[^${separators}]*${edge})?`;
}

export const charTokenizer: TransformReader = {
  newest: 0x00010002,
  read(part, pipeline) {
    const pairs = readPairs(part);
    const isMarked = part.bool();
    if (part.readable >= 0x00010002) part.bool(); // whether marks separate several texts
    part.end();
    pipeline.add(
      part.at,
      pairs.map(({ output, input }) => ({
        output,
        inputs: [input],
        apply([column]): Column {
          const text = textOf(column!, part.at);
          return { kind: 'characters', text: isMarked ? text.markEnds() : text };
        },
      })),
    );
  },
};
