import { tokens } from '@brezel/core';
import { reFlags, type TokenizeMode, tokenizeModes, tokenizeRows } from '@brezel/tensors';
import { RE2JS } from 're2js';
import { ofText } from '../../checks.js';
import { shown } from '../../custom/row-values.js';
import { defineOp } from '../../define-op.js';
import { flourError } from '../../errors.js';
import { Flow } from '../../flow.js';
import { contributions } from './contributions.js';

/**
 * Defines the operator `tokenize`, which splits a text into tokens. No kernel runs the operator
 * alone. A kernel such as `text_ngram` runs it together with the n-gram operator after it, if the
 * pattern is one repeated character class. Such a kernel also supports single characters and
 * separators of one character.
 */
export const tokenize = defineOp({
  name: 'tokenize',
  version: 1,
  doc: {
    does: 'Splits a text into tokens: into matches of a pattern, at separators, into words, or into characters.',
    types: 'text → tokens',
    attributes: {
      mode: 'pattern, separators, words or characters',
      patterns: 'RE2 patterns',
      minLength: 'minimum code points of a token',
    },
    kernels: ['text_ngram', 'hash_ngram', 'word_char_ngram'],
  },
  attributes: { mode: 'infer', patterns: 'list of texts', minLength: 'count' },
  annotations: { cardinality: '1-to-n', bound: 'memory', state: 'featurizer' },
  infer(use) {
    const { mode } = use.attributes;
    if (!tokenizeModes.includes(mode as TokenizeMode))
      throw flourError('ERR_FLOUR_PARAM', {
        expected: tokenizeModes.join(', '),
        received: shown(mode),
        at: 'tokenize',
      });
    return ofText('tokenize', use) && tokens;
  },
  reference: tokenizeRows,
  contributions,
  summary({ attributes }) {
    const { mode, patterns, minLength } = attributes as {
      mode: string;
      patterns: readonly string[];
      minLength: number;
    };
    const cut = mode === 'characters' ? 'characters' : patterns.map((pattern) => JSON.stringify(pattern)).join(' ');
    return `${mode === 'separators' ? 'between ' : ''}${cut}${minLength > 1 ? `, ${minLength} characters or more` : ''}`;
  },
});

/**
 * The default pattern of a token: one or more ASCII letters, digits and underscores. Exporters of
 * scikit-learn write it.
 */
export const WORDS = '[a-zA-Z0-9_]+';

/** Options of `Flow.tokenize`. */
export interface TokenizeOptions {
  /**
   * What a token is. `pattern`: a match of an RE2 pattern. `separators`: a text between matches of
   * RE2 patterns. `characters`: a code point. `words`: letters, digits and underscores of any
   * script, as in Python's `\w+`. Default: the pattern `WORDS`.
   */
  readonly by?: 'characters' | 'words' | { readonly pattern: string } | { readonly separators: readonly string[] };
  /** Minimum length of a token in code points. Shorter tokens are dropped. Default 1. */
  readonly minLength?: number;
}

declare module '../../flow.js' {
  interface Flow<Kind, Row, Value> {
    /**
     * Splits a text into tokens: into the matches of a pattern, at separators, into words of any
     * script, or into characters. Several separators are applied one after another.
     *
     * Patterns have RE2 syntax: no back references, and `\w`, `\d` and `\s` match ASCII characters
     * only. `.` matches a newline. Of several possible matches, the leftmost is used, and then the
     * longest.
     *
     * Shapes: text → tokens. Cost: O(bytes) if tokens are single characters, runs of one character
     * class, or texts between single separators. Other tokens are found in JavaScript.
     * @throws ERR_FLOUR_PARAM for a pattern that is not RE2.
     * @see Source: com.microsoft Tokenizer-1; for `words`, scikit-learn's default `token_pattern`.
     * @example text.tokenize({ by: { pattern: '[a-z]+' } })
     */
    tokenize(this: Flow<'text', Row, unknown>, options?: TokenizeOptions): Flow<'tokens', Row>;
  }
}

Flow.prototype.tokenize = function (this: Flow<'text'>, options = {}) {
  const { by = { pattern: WORDS }, minLength = 1 } = options;
  if (!(Number.isInteger(minLength) && minLength >= 0 && minLength < 2 ** 31)) {
    throw flourError('ERR_FLOUR_PARAM', {
      expected: 'minLength, an integer from 0 to 2^31 - 1',
      received: shown(minLength),
      at: 'tokenize',
    });
  }
  const [mode, patterns] =
    typeof by === 'string' ? [by, []] : 'pattern' in by ? ['pattern', [by.pattern]] : ['separators', by.separators];
  const characters = (patterns as readonly string[]).reduce((sum, pattern) => sum + 1 + pattern.length, 0);
  if (characters > MAX_PATTERNS) {
    throw flourError('ERR_FLOUR_PARAM', {
      expected: `patterns of ${MAX_PATTERNS} characters in total`,
      received: `${characters}`,
      at: 'tokenize',
    });
  }
  for (const pattern of patterns as readonly string[]) checkPattern(pattern);
  return this.context.apply<'tokens'>(tokenize, [this], {
    attributes: { mode: mode as string, patterns: patterns as string[], minLength },
  });
};

/**
 * `tokenize` rejects patterns that have more characters than this in total, because compiling a
 * pattern takes microseconds and memory for each character. Each pattern counts one character more
 * than it has.
 */
const MAX_PATTERNS = 2 ** 16;
const SHOWN_CHARACTERS = 100;

/**
 * Short patterns that RE2 has accepted. Models of a family have the same patterns, and compiling
 * the default pattern of scikit-learn takes 0.3 ms.
 */
const accepted = new Set<string>();
const MAX_ACCEPTED = 64;
const LONGEST_ACCEPTED = 256;

function checkPattern(pattern: string): void {
  if (accepted.has(pattern)) return;
  try {
    RE2JS.compile(pattern, reFlags);
    if (accepted.size < MAX_ACCEPTED && pattern.length <= LONGEST_ACCEPTED) accepted.add(pattern);
  } catch (cause) {
    throw flourError('ERR_FLOUR_PARAM', {
      expected: 'an RE2 pattern',
      received: JSON.stringify(pattern.slice(0, SHOWN_CHARACTERS)),
      at: 'tokenize',
      hint: `RE2 says: ${(cause as Error).message.slice(0, 2 * SHOWN_CHARACTERS)}`,
      cause,
    });
  }
}
