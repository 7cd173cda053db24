import type { AccentAction } from '@brezel/text';
import { shown } from '../../custom/row-values.js';
import { flourError } from '../../errors.js';
import type { Flow } from '../../flow.js';
import '../../ops/collapse-spaces/index.js';
import '../../ops/preprocess-text/index.js';
import '../../ops/remove-stop-words/index.js';
import '../../ops/tokenize/index.js';
import { pythonTokens } from './token-pattern.js';

/** Options for converting a text to n-grams. Their names and defaults are those of scikit-learn. */
export interface AnalyzerOptions {
  /**
   * `word`: n-grams of words. `char`: n-grams of characters. `char_wb`: n-grams of the characters
   * of each word, after adding a space on both sides of the word. Default `word`.
   */
  readonly analyzer?: 'word' | 'char' | 'char_wb';
  /** The minimum and the maximum number of words or characters in an n-gram. Default `[1, 1]`. */
  readonly ngramRange?: readonly [minN: number, maxN: number];
  /** Whether to convert the text to lower case first. Default true. */
  readonly lowercase?: boolean;
  /** How to remove accents. Default null: keep them. */
  readonly stripAccents?: AccentAction | null;
  /**
   * Words to remove before n-grams are built. A word is removed if it is exactly equal to a stop
   * word. Only with analyzer `word`. Default null: remove no words.
   */
  readonly stopWords?: readonly string[] | null;
  /**
   * The pattern of a word in the syntax of Python's `re`: a repeated character class, or repeated
   * `\w` or `\S`. Only with analyzer `word`. Default `(?u)\b\w\w+\b`: two or more letters, digits
   * and underscores of any script.
   */
  readonly tokenPattern?: string;
  /** If true, counts an n-gram once, however often it occurs. Default false. */
  readonly binary?: boolean;
}

const DEFAULT_TOKEN_PATTERN = '(?u)\\b\\w\\w+\\b';

/** The text of a vectorizer after preparation, and the minimum and maximum n of its n-grams. */
export interface Analysis {
  readonly analyzer: 'word' | 'char' | 'char_wb';
  readonly text: Flow<'text'>;
  /** The words of the text. Only with analyzer `word`. */
  readonly tokens: Flow<'tokens'> | undefined;
  readonly minN: number;
  readonly maxN: number;
  readonly binary: boolean;
}

const analyzers: readonly string[] = ['word', 'char', 'char_wb'];

/**
 * Adds the operators that prepare a text before its n-grams are counted: lower case, accents, white
 * space (only for `char`), tokens and stop words.
 *
 * @throws ERR_FLOUR_PARAM for an unknown analyzer or an unsupported token pattern.
 */
export function analyze(flow: Flow<'text'>, options: AnalyzerOptions): Analysis {
  const { analyzer = 'word', ngramRange = [1, 1], lowercase = true, stripAccents = null, binary = false } = options;
  if (!analyzers.includes(analyzer))
    throw flourError('ERR_FLOUR_PARAM', { expected: analyzers.join(', '), received: shown(analyzer), at: 'analyzer' });
  const [minN, maxN] = ngramRange;
  const prepared = lowercase || stripAccents !== null ? flow.preprocess({ lowercase, stripAccents }) : flow;
  const text = analyzer === 'char' ? prepared.collapseSpaces() : prepared;
  return { analyzer, text, tokens: analyzer === 'word' ? words(text, options) : undefined, minN, maxN, binary };
}

function words(
  text: Flow<'text'>,
  { stopWords, tokenPattern = DEFAULT_TOKEN_PATTERN }: AnalyzerOptions,
): Flow<'tokens'> {
  const tokens = text.tokenize(pythonTokens(tokenPattern));
  return stopWords && stopWords.length > 0 ? tokens.removeStopWords(stopWords) : tokens;
}

/**
 * Splits a term of a vocabulary into the tokens of its n-gram: words separated by one space, or
 * characters.
 */
export function termTokens(term: string, analyzer: Analysis['analyzer']): string[] {
  return analyzer === 'word' ? term.split(' ') : [...term];
}
