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
  const split = splitters.get(attributes) ?? splitter(attributes as unknown as SplitOptions);
  splitters.set(attributes, split);
  return { kind: 'tokens', rows, values: (inputs[0] as StringBlock).values.map(split) };
};

const words = classExpression(unicodeWord, '+');

interface SplitOptions {
  readonly mode: TokenizeMode;
  readonly patterns: readonly string[];
  readonly minLength: number;
}

/** Caches compiled splitters, because compiling a pattern takes longer than splitting a text. */
const splitters = new WeakMap<Attributes, (text: string) => string[]>();

function splitter(options: SplitOptions): (text: string) => string[] {
  const { mode, patterns, minLength } = options;
  const longEnough = (token: string) => [...token].length >= minLength;
  if (mode === 'characters') return (text) => [...text];
  if (mode === 'words') return (text) => (text.match(words) ?? []).filter(longEnough);
  const expressions = patterns.map((pattern) => RE2JS.compile(pattern, reFlags));
  if (mode === 'pattern')
    return (text) =>
      matches(expressions[0]!, text)
        .map(([from, to]) => text.slice(from, to))
        .filter(longEnough);
  return (text) =>
    expressions
      .reduce((pieces, separator) => pieces.flatMap((piece) => splitAt(separator, piece)), [text])
      .filter(longEnough);
}

/** Returns non-empty matches from left to right. */
function matches(expression: RE2JS, text: string): [number, number][] {
  const matcher = expression.matcher(text);
  const found: [number, number][] = [];
  while (matcher.find()) if (matcher.end() > matcher.start()) found.push([matcher.start(), matcher.end()]);
  return found;
}

function splitAt(separator: RE2JS, text: string): string[] {
  const pieces: string[] = [];
  let from = 0;
  for (const [start, end] of matches(separator, text)) {
    pieces.push(text.slice(from, start));
    from = end;
  }
  return [...pieces, text.slice(from)];
}
