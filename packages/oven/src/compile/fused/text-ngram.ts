import type { ParameterValue } from '@brezel/core';
import {
  anyCodePoint,
  buildDictionary,
  buildStopWords,
  buildTextProgram,
  type CaseAction,
  charClass,
  complement,
  foldText,
  parseClassPattern,
  sameClass,
  type TextProgram,
} from '@brezel/object-store';
import { type LogicalNode, nodeOf } from '../../logical-plan.js';
import type { RuleContext } from '../../rule.js';
import type { FusedKernel, StageDraft } from '../stage-draft.js';

/**
 * [string-normalize] → tokenize → ngram in one pass over the text (kernel `text_ngram`), where tokens are runs of one class of characters,
 * single characters, or what lies between single separators.
 */
export const textNgram: FusedKernel = {
  name: 'text-ngram',
  canRun(node, draft) {
    if (node.operator?.name !== 'ngram' || node.attributes.maxSkip !== 0) return undefined;
    const tokenize = inStage(node.inputs[0]!, draft);
    if (tokenize?.operator?.name !== 'tokenize') return undefined;
    const before = inStage(tokenize.inputs[0]!, draft);
    const normalize = before?.operator?.name === 'string-normalize' && canFold(before) ? before : undefined;
    const cut = tokenProgram(tokenize, node);
    if (cut === undefined || (before?.operator?.name === 'string-normalize' && normalize === undefined))
      return undefined;

    const fold = (normalize?.attributes.action ?? 'none') as CaseAction;
    const { context } = draft;
    const program: TextProgram = { fold, ...cut };
    const parameters = [
      context.derive(`text program ${JSON.stringify(program)}`, [], () => buildTextProgram(program)),
      dictionaryOf(node, cut.mode, context),
      ...stopWordsOf(normalize, fold, context),
    ];
    return {
      covered: [...(normalize ? [normalize] : []), tokenize, node],
      binding: {
        kernel: 'text_ngram',
        inputs: [(normalize ?? tokenize).inputs[0]!],
        parameters,
        attributes: [node.attributes.binary ? 1 : 0],
      },
    };
  },
};

function inStage(id: number, draft: StageDraft): LogicalNode | undefined {
  const node = nodeOf(draft.plan, id);
  return draft.nodes.includes(node) ? node : undefined;
}

/** Stop words are compared folded, as the text is folded: other comparisons are left to the reference. */
function canFold(normalize: LogicalNode): boolean {
  const { action, caseSensitive } = normalize.attributes;
  if (normalize.parameters.stopWords === undefined) return true;
  return action === 'none' ? caseSensitive === true : caseSensitive === false;
}

/** How the kernel cuts the text; undefined for other patterns. */
function tokenProgram(tokenize: LogicalNode, ngram: LogicalNode): Omit<TextProgram, 'fold'> | undefined {
  const { mode, patterns, minLength } = tokenize.attributes as {
    mode: string;
    patterns: readonly string[];
    minLength: number;
  };
  const byCharacter = ngram.attributes.unit === 'character';
  if (mode === 'characters')
    return byCharacter || minLength > 1 ? undefined : { mode: 'characters', charClass: anyCodePoint, minLength: 1 };
  const read = patterns.map(parseClassPattern);
  if (read.length === 0 || read.some((pattern) => pattern === undefined)) return undefined;
  const [first] = read;
  if (mode === 'pattern' && first!.max === 1) {
    // Neighbouring characters outside the class would have to be skipped: only `.` takes every character.
    const every = sameClass(first!.class, anyCodePoint) && minLength <= 1 && !byCharacter;
    return every ? { mode: 'characters', charClass: anyCodePoint, minLength: 1 } : undefined;
  }
  // An empty token between two separators counts only when minLength is 0: left to the reference.
  if (mode === 'separators' && (minLength < 1 || read.some((pattern) => pattern!.min !== 1))) return undefined;
  const chars =
    mode === 'pattern' ? first!.class : complement(charClass(read.flatMap((pattern) => [...pattern!.class])));
  const length = Math.max(mode === 'pattern' ? first!.min : 1, minLength, 1);
  if (!byCharacter) return { mode: 'runs', charClass: chars, minLength: length };
  return length === 1 ? { mode: 'characters', charClass: chars, minLength: 1 } : undefined;
}

function dictionaryOf(ngram: LogicalNode, mode: TextProgram['mode'], context: RuleContext): string {
  const { minN, maxN, columns, gramCounts } = ngram.attributes as {
    minN: number;
    maxN: number;
    columns: number;
    gramCounts: readonly number[];
  };
  const names = ['tokens', 'grams', 'columns'] as const;
  const ids = names.map((name) => ngram.parameters[name]!);
  const unit = mode === 'characters' ? 'character' : 'word';
  return context.derive(`${unit} dictionary ${minN}..${maxN} [${gramCounts}] ${columns}`, ids, () => {
    const [tokens, grams, places] = ids.map((id) => context.parameter(id)) as [
      ParameterValue,
      ParameterValue,
      ParameterValue,
    ];
    return buildDictionary({
      unit,
      tokens: (tokens as { values: readonly string[] }).values,
      grams: (grams as { data: Int32Array }).data,
      gramCounts,
      columns: (places as { data: Int32Array }).data,
      columnCount: columns,
      minN,
      maxN,
    });
  });
}

function stopWordsOf(normalize: LogicalNode | undefined, fold: CaseAction, context: RuleContext): string[] {
  const id = normalize?.parameters.stopWords;
  if (id === undefined) return [];
  const build = () =>
    buildStopWords((context.parameter(id) as { values: readonly string[] }).values.map((word) => foldText(word, fold)));
  return [context.derive(`stop words, case ${fold}`, [id], build)];
}
