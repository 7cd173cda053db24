import type { Attributes, ReferenceKernel, StringBlock } from '@brezel/core';
import { classExpression, unicodeWord } from '@brezel/text';
import { RE2JS } from 're2js';

/**
 * Flags of patterns: leftmost-longest matches, and `.` matches a newline, as in the ONNX Tokenizer.
 */
export const reFlags = RE2JS.DOTALL | RE2JS.LONGEST_MATCH;

export const tokenizeModes = ['pattern', 'separators', 'characters', 'words'] as const;
export type TokenizeMode = (typeof tokenizeModes)[number];

export const tokenizeRows: ReferenceKernel = ({ rows, inputs, attributes }) => {
  const values = (inputs[0] as StringBlock).values.map((text) =>
    tokenSpans(text, attributes).map((span) => text.slice(...span)),
  );
  return { kind: 'tokens', rows, values };
};

const words = classExpression(unicodeWord, '+');

interface SplitOptions {
  readonly mode: TokenizeMode;
  readonly patterns: readonly string[];
  readonly minLength: number;
}

/** The part of a text that is one token: from the first unit up to but not including the second. */
export type TokenSpan = readonly [from: number, to: number];

/** Returns the start and the end of each token in a text, in UTF-16 units. */
export function tokenSpans(text: string, attributes: Attributes): readonly TokenSpan[] {
  const split = splitters.get(attributes) ?? splitter(attributes as unknown as SplitOptions);
  splitters.set(attributes, split);
  return split(text);
}

/** Caches compiled splitters, because compiling a pattern takes longer than splitting a text. */
const splitters = new WeakMap<Attributes, (text: string) => TokenSpan[]>();

function splitter(options: SplitOptions): (text: string) => TokenSpan[] {
  const { mode, patterns, minLength } = options;
  const isLongEnough = (text: string) => (span: TokenSpan) => [...text.slice(...span)].length >= minLength;
  if (mode === 'characters') return characters;
  if (mode === 'words')
    return (text) =>
      Array.from(text.matchAll(words), ({ 0: word, index }): TokenSpan => [index, index + word.length]).filter(
        isLongEnough(text),
      );
  const expressions = patterns.map((pattern) => RE2JS.compile(pattern, reFlags));
  if (mode === 'pattern') return (text) => matches(expressions[0]!, text).filter(isLongEnough(text));
  return (text) =>
    expressions
      .reduce<TokenSpan[]>(
        (pieces, separator) => pieces.flatMap((piece) => splitAt(separator, text, piece)),
        [[0, text.length]],
      )
      .filter(isLongEnough(text));
}

function characters(text: string): TokenSpan[] {
  let to = 0;
  return Array.from(text, ({ length }): TokenSpan => {
    to += length;
    return [to - length, to];
  });
}

/** Returns non-empty matches from left to right. */
function matches(expression: RE2JS, text: string): TokenSpan[] {
  const matcher = expression.matcher(text);
  const found: [number, number][] = [];
  while (matcher.find()) if (matcher.end() > matcher.start()) found.push([matcher.start(), matcher.end()]);
  return found;
}

function splitAt(separator: RE2JS, text: string, [first, end]: TokenSpan): TokenSpan[] {
  const pieces: TokenSpan[] = [];
  let from = first;
  for (const [start, next] of matches(separator, text.slice(first, end))) {
    pieces.push([from, first + start]);
    from = first + next;
  }
  return [...pieces, [from, end]];
}
