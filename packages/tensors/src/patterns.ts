import { RE2JS } from 're2js';
import type { TensorCall } from './define.js';

/**
 * All patterns of a node may have at most this many characters. Compiling takes microseconds and
 * memory for each character, and the model file determines the number of characters.
 */
const MAX_PATTERNS = 2 ** 16;
const SHOWN_CHARACTERS = 100;

/**
 * Compiles an RE2 pattern.
 *
 * @throws `call.fault` for an invalid pattern.
 */
export function compilePattern(call: TensorCall, pattern: string, flags: number): RE2JS {
  if (pattern.length > MAX_PATTERNS)
    throw call.fault(`a pattern of ${pattern.length} characters`, `a pattern of at most ${MAX_PATTERNS} characters`);
  try {
    return RE2JS.compile(pattern, flags);
  } catch (cause) {
    const shown = JSON.stringify(pattern.slice(0, SHOWN_CHARACTERS));
    throw call.fault(
      `the pattern ${shown}: ${(cause as Error).message.slice(0, 2 * SHOWN_CHARACTERS)}`,
      'a pattern that RE2 accepts',
    );
  }
}

/**
 * Checks patterns.
 *
 * @throws `call.fault` for an invalid pattern, or too many patterns.
 */
export function checkPatterns(call: TensorCall, patterns: readonly string[], flags: number): void {
  const characters = patterns.reduce((sum, pattern) => sum + 1 + pattern.length, 0);
  if (characters > MAX_PATTERNS)
    throw call.fault(
      `patterns of ${characters} characters in total`,
      `patterns of at most ${MAX_PATTERNS} characters in total`,
    );
  for (const pattern of patterns) compilePattern(call, pattern, flags);
}
