import { parseClassPattern } from '@brezel/text';
import { flourError } from '../../errors.js';
import { NON_SPACE } from '../../ops/tokenize/patterns.js';

/** The options of `tokenize` that are equivalent to a token pattern. */
export interface PythonTokens {
  readonly by: 'words' | { readonly pattern: string };
  readonly minLength: number;
}

/**
 * Matches token patterns such as `\w\w+` and `\S{2,}`: any number of single `\w` or `\S`, then the
 * same class with `+` or a minimum count. The pattern may start and end with `\b`, because a word
 * boundary around `\w` has no effect there. `pythonTokens` rejects `\b` around `\S`.
 */
const repeated = /^(?:\\b)?((?:\\w)*?|(?:\\S)*?)(\\[wS])(?:\+|\{(\d+),\})(?:\\b)?$/;

/**
 * Converts a token pattern of Python's `re.findall` to options of `tokenize`. RE2 and Python agree
 * on a repeated character class. In Python, `\w` and similar classes cover every script, so a
 * character class in brackets must not contain them.
 *
 * @throws ERR_FLOUR_PARAM for any other pattern, because RE2 and Python could differ on it.
 */
export function pythonTokens(source: string): PythonTokens {
  const pattern = source.replace(/^\(\?u\)/, '');
  const found = repeated.exec(pattern);
  if (found !== null && !(pattern.includes('\\b') && pattern.includes('\\S'))) {
    const [, alone = '', atom, least] = found;
    const minLength = alone.length / 2 + (least === undefined ? 1 : Number(least));
    const same = alone === '' || alone.startsWith(atom!);
    if (same && minLength > 0) return { by: atom === '\\w' ? 'words' : { pattern: NON_SPACE }, minLength };
  }
  if (!/\\[bBdDsSwW]|\[\[|\[\^?\]|^\./.test(pattern) && parseClassPattern(pattern) !== undefined)
    return { by: { pattern }, minLength: 1 };
  throw flourError('ERR_FLOUR_PARAM', {
    expected: 'a token pattern that is one class of characters, repeated, or \\w or \\S, repeated',
    received: JSON.stringify(source.slice(0, 100)),
    at: 'tokenPattern',
    hint: 'for another pattern, call text.preprocess().tokenize({ by: { pattern } }), which supports RE2',
  });
}
