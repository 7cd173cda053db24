import type { ParameterValue } from '@brezel/core';
import { ngram, numbersOf } from '@brezel/flour';
import type { StringParameter } from '@brezel/object-store';
import { buildTextProgram, encodedDictionary, type TextProgram } from '@brezel/text';
import type { LogicalNode } from '../../logical-plan.js';
import type { RuleContext } from '../../rule.js';
import type { FusedKernel } from '../stage-draft.js';
import { textCandidate } from './text-candidate.js';
import { tokenSource } from './token-source.js';

/**
 * Runs [string-normalize] → tokenize → [remove-stop-words] → ngram in one pass over the text
 * (kernel `text_ngram`). A token must be one or more characters of one class (such as `[a-z]+`), a
 * single character, or the text between two separators.
 */
export const textNgram: FusedKernel = {
  name: 'text-ngram',
  parameters: ['text program', 'dictionary', 'stop words'],
  canRun(node, draft) {
    if (node.operator !== ngram || node.attributes.maxSkip !== 0 || node.attributes.unit === 'padded') return undefined;
    const source = tokenSource(node, node.attributes.unit === 'character', draft);
    if (source === undefined) return undefined;
    const { program, stopWords } = source;
    if (program.mode === 'characters' && stopWords?.of === 'tokens') return undefined;
    const { context } = draft;
    const unit = program.mode === 'characters' ? 'character' : 'word';
    const attributes = [countingOf(node), ...(stopWords?.of === 'tokens' ? [1] : [])];
    return textCandidate('text_ngram', node, source, draft, attributes, () => [
      textProgramOf(program, context),
      dictionaryOf(node, unit, node.attributes.minN as number, context),
      ...(stopWords ? [stopWords.dictionary()] : []),
    ]);
  },
};

/**
 * Runs [string-normalize] → tokenize → [remove-stop-words] → ngram in one pass over the text, for
 * character n-grams inside tokens (kernel `word_char_ngram`). The kernel `text_ngram` does not
 * support these n-grams. This kernel also supports a minimal token length, stop words, and padding
 * with spaces. A token must be one or more characters of one class (such as `[a-z]+`), or the text
 * between two separators. The operator string-normalize must have no stop words.
 */
export const wordCharNgram: FusedKernel = {
  name: 'word-char-ngram',
  parameters: ['text program', 'dictionary', 'stop words'],
  canRun(node, draft) {
    const { unit, minN, maxSkip } = node.attributes;
    if (node.operator !== ngram || maxSkip !== 0 || unit === 'token') return undefined;
    const source = tokenSource(node, false, draft);
    if (source === undefined || source.program.mode !== 'runs' || source.stopWords?.of === 'texts') return undefined;
    const padded = unit === 'padded';
    const attributes = [minN as number, countingOf(node), padded ? 1 : 0];
    const { program, stopWords } = source;
    const { context } = draft;
    return textCandidate('word_char_ngram', node, source, draft, attributes, () => [
      textProgramOf(program, context),
      // With padding, a word with fewer than minN characters is also looked up, so the dictionary
      // contains all sizes from 1.
      dictionaryOf(node, 'character', padded ? 1 : (minN as number), context),
      ...(stopWords ? [stopWords.dictionary()] : []),
    ]);
  },
};

/**
 * Returns how a kernel counts n-grams: 0 counts distinct columns, 1 sets each count to 1, and 2
 * writes an entry for each occurrence.
 */
function countingOf({ attributes: { binary, occurrences } }: LogicalNode): number {
  return occurrences ? 2 : binary ? 1 : 0;
}

export function textProgramOf(program: TextProgram, context: RuleContext): string {
  return context.derive(`text program ${JSON.stringify(program)}`, [], () => buildTextProgram(program));
}

function dictionaryOf(ngram: LogicalNode, unit: 'word' | 'character', minN: number, context: RuleContext): string {
  const { maxN, columns, gramCounts } = ngram.attributes as {
    maxN: number;
    columns: number;
    gramCounts: readonly number[];
  };
  const names = ['tokens', 'grams', 'columns'] as const;
  const ids = names.map((name) => ngram.parameters[name]!);
  const counted = ngram.statistics?.frequency;
  const { placedLike } = context;
  const order = [
    ...(counted === undefined ? [] : [`, frequent n-grams first by ${counted}`]),
    ...(placedLike === undefined ? [] : [`, placed like ${placedLike.id}`]),
  ].join('');
  return context.derive(`${unit} dictionary ${minN}..${maxN} [${gramCounts}] ${columns}${order}`, ids, () => {
    const [tokens, grams, places] = ids.map((id) => context.parameter(id)) as [
      ParameterValue,
      ParameterValue,
      ParameterValue,
    ];
    const source = {
      unit,
      grams: (grams as { data: Int32Array }).data,
      gramCounts,
      columns: (places as { data: Int32Array }).data,
      columnCount: columns,
      minN,
      maxN,
      placedLike: placedLike?.bytes,
      frequency: counted === undefined ? undefined : (numbersOf(context.parameter(counted)) as Int32Array),
    };
    return encodedDictionary(tokens as StringParameter, source, context.strings);
  });
}
