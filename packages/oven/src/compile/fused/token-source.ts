import { removeStopWords, stringNormalize, tokenize } from '@brezel/flour';
import type { StringParameter } from '@brezel/object-store';
import {
  anyCodePoint,
  type CaseAction,
  type CharClass,
  charClass,
  complement,
  encodedStopWords,
  parseClassPattern,
  sameClass,
  type TextProgram,
  unicodeWord,
} from '@brezel/text';
import type { LogicalNode } from '../../logical-plan.js';
import type { RuleContext } from '../../rule.js';
import type { StageDraft } from '../stage-draft.js';

/** How a fused kernel reads the tokens of an n-gram operator directly from the text. */
export interface TokenSource {
  /** The operators that the kernel replaces between the text and the n-gram operator. */
  readonly covered: readonly LogicalNode[];
  readonly input: number;
  readonly program: TextProgram;
  readonly stopWords?: { readonly of: 'texts' | 'tokens'; dictionary(): string };
}

/**
 * Finds the operators [string-normalize] → tokenize → [remove-stop-words] before a node in its
 * stage. Returns them in the form that fused kernels read. Returns undefined if kernels do not
 * support this tokenization.
 *
 * @param byCharacter true if the n-grams consist of single characters inside the tokens.
 */
export function tokenSource(node: LogicalNode, byCharacter: boolean, draft: StageDraft): TokenSource | undefined {
  const last = inStage(node.inputs[0]!, draft);
  const removal = last?.operator === removeStopWords ? last : undefined;
  const tokenizer = removal === undefined ? last : inStage(removal.inputs[0]!, draft);
  if (tokenizer?.operator !== tokenize) return undefined;
  const before = inStage(tokenizer.inputs[0]!, draft);
  const folding = before?.operator === stringNormalize ? before : undefined;
  if (folding !== undefined && !canFold(folding)) return undefined;
  const cut = tokenProgram(tokenizer, byCharacter);
  if (cut === undefined) return undefined;
  const fold = (folding?.attributes.action ?? 'none') as CaseAction;
  const { context } = draft;
  const texts = stoppedTexts(folding, fold, context);
  const tokens = removal && stoppedTokens(removal, context);
  if (texts !== undefined && tokens !== undefined) return undefined;
  const stopWords = texts ?? tokens;
  return {
    covered: [...(folding ? [folding] : []), tokenizer, ...(removal ? [removal] : [])],
    input: (folding ?? tokenizer).inputs[0]!,
    program: { fold, ...cut },
    ...(stopWords && { stopWords }),
  };
}

function inStage(id: number, draft: StageDraft): LogicalNode | undefined {
  const position = draft.positions.get(id);
  return position === undefined ? undefined : draft.nodes[position];
}

/**
 * Returns whether a fused kernel can compare stop words as this node does. Kernels fold the case of
 * the text, and compare it with stop words that are folded in the same way. A node may compare
 * differently: for example, it may ignore the case of a text without folding the text.
 */
function canFold(folding: LogicalNode): boolean {
  const { action, caseSensitive } = folding.attributes;
  if (folding.parameters.stopWords === undefined) return true;
  return action === 'none' ? caseSensitive === true : caseSensitive === false;
}

/**
 * Returns how a fused kernel splits a text into tokens as this node does. Returns undefined if
 * kernels do not support the patterns of the node.
 */
function tokenProgram(tokenizer: LogicalNode, byCharacter: boolean): Omit<TextProgram, 'fold'> | undefined {
  const { mode, patterns, minLength } = tokenizer.attributes as {
    mode: string;
    patterns: readonly string[];
    minLength: number;
  };
  if (mode === 'characters')
    return byCharacter || minLength > 1 ? undefined : { mode: 'characters', charClass: anyCodePoint, minLength: 1 };
  if (mode === 'words') return runsOf(unicodeWord, Math.max(minLength, 1), byCharacter);
  const read = patterns.map(parseClassPattern);
  if (read.length === 0 || read.some((pattern) => pattern === undefined)) return undefined;
  const [first] = read;
  if (mode === 'pattern' && first!.max === 1) {
    // Only `.` is supported, which matches every character. With another class, the kernel would
    // have to skip adjacent characters outside the class.
    const every = sameClass(first!.class, anyCodePoint) && minLength <= 1 && !byCharacter;
    return every ? { mode: 'characters', charClass: anyCodePoint, minLength: 1 } : undefined;
  }
  // An empty token between two separators counts only if minLength is 0. In that case, no fused
  // kernel runs.
  if (mode === 'separators' && (minLength < 1 || read.some((pattern) => pattern!.min !== 1))) return undefined;
  const chars =
    mode === 'pattern' ? first!.class : complement(charClass(read.flatMap((pattern) => [...pattern!.class])));
  const length = Math.max(mode === 'pattern' ? first!.min : 1, minLength, 1);
  return runsOf(chars, length, byCharacter);
}

function runsOf(chars: CharClass, minLength: number, byCharacter: boolean): Omit<TextProgram, 'fold'> | undefined {
  if (!byCharacter) return { mode: 'runs', charClass: chars, minLength };
  return minLength === 1 ? { mode: 'characters', charClass: chars, minLength: 1 } : undefined;
}

function stoppedTexts(
  folding: LogicalNode | undefined,
  fold: CaseAction,
  context: RuleContext,
): TokenSource['stopWords'] {
  const id = folding?.parameters.stopWords;
  if (id === undefined) return undefined;
  const build = () => encodedStopWords(wordsOf(id, context), fold, context.strings);
  return { of: 'texts', dictionary: () => context.derive(`stop words, case ${fold}`, [id], build) };
}

/**
 * Returns how a fused kernel removes tokens that are stop words: a function that derives the
 * dictionary of the stop words. The dictionary contains the words without folding, because the
 * operator compares tokens as they are.
 */
function stoppedTokens(removal: LogicalNode, context: RuleContext): TokenSource['stopWords'] {
  const id = removal.parameters.stopWords!;
  const build = () => encodedStopWords(wordsOf(id, context), 'none', context.strings);
  const dictionary = () => context.derive('stop words, case none', [id], build);
  return { of: 'tokens', dictionary };
}

const wordsOf = (id: string, context: RuleContext) => context.parameter(id) as StringParameter;
