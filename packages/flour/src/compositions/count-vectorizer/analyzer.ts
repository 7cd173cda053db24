import type { AccentAction } from '@brezel/text';
import { flourError } from '../../errors.js';
import type { Flow } from '../../flow.js';
import '../../ops/collapse-spaces/index.js';
import '../../ops/preprocess-text/index.js';
import '../../ops/remove-stop-words/index.js';
import '../../ops/tokenize/index.js';
import { pythonTokens } from './token-pattern.js';

/** How a text becomes n-grams: scikit-learn's parameters under its names, with its defaults. */
export interface AnalyzerOptions {
  /** N-grams of words, of characters, or of characters inside words with a space before and behind. Default `word`. */
  readonly analyzer?: 'word' | 'char' | 'char_wb';
  /** Least and greatest n. Default `[1, 1]`. */
  readonly ngramRange?: readonly [minN: number, maxN: number];
  /** Default true. */
  readonly lowercase?: boolean;
  /** Default null: accents stay. */
  readonly stripAccents?: AccentAction | null;
  /** Words left out before n-grams are built, compared as they stand. Only with analyzer `word`. Default null. */
  readonly stopWords?: readonly string[] | null;
  /**
   * What a word is, as Python's `re` reads it: a class of characters, repeated, or `\w` or `\S`, repeated. Only with analyzer `word`. Default
   * `(?u)\b\w\w+\b`: two or more letters, numbers and underscores of any script.
   */
  readonly tokenPattern?: string;
  /** 1 for what occurs, not how often. Default false. */
  readonly binary?: boolean;
}

const DEFAULT_TOKEN_PATTERN = '(?u)\\b\\w\\w+\\b';

/** What lies before the counting, and which n-grams count. */
export interface Analysis {
  readonly analyzer: 'word' | 'char' | 'char_wb';
  readonly text: Flow<'text'>;
  /** The words of the text; only with analyzer `word`. */
  readonly tokens: Flow<'tokens'> | undefined;
  readonly minN: number;
  readonly maxN: number;
  readonly binary: boolean;
}

const analyzers: readonly string[] = ['word', 'char', 'char_wb'];

/** @throws ERR_FLOUR_PARAM when there is no such analyzer, or the token pattern is none that kernels know. */
export function analyze(flow: Flow<'text'>, options: AnalyzerOptions): Analysis {
  const { analyzer = 'word', ngramRange = [1, 1], lowercase = true, stripAccents = null, binary = false } = options;
  if (!analyzers.includes(analyzer))
    throw flourError('ERR_FLOUR_PARAM', { expected: analyzers.join(', '), received: String(analyzer), at: 'analyzer' });
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

/** A term of a vocabulary as the tokens of its n-gram: words between single spaces, or characters. */
export function termTokens(term: string, analyzer: Analysis['analyzer']): string[] {
  return analyzer === 'word' ? term.split(' ') : [...term];
}
