import { hashNgram as hashNgramOperator } from '@brezel/flour';
import type { FusedKernel } from '../stage-draft.js';
import { gramUnits } from './gram-units.js';
import { textCandidate } from './text-candidate.js';
import { textProgramOf } from './text-ngram.js';
import { tokenSource } from './token-source.js';

/**
 * Runs [string-normalize] → tokenize → [remove-stop-words] → hash-ngram in one pass over the text
 * (kernel `hash_ngram`). A token must be one or more characters of one class (such as `[a-z]+`), or
 * the text between two separators. The operator string-normalize must have no stop words.
 */
export const hashNgram: FusedKernel = {
  name: 'hash-ngram',
  parameters: ['text program', 'stop words'],
  canRun(node, draft) {
    if (node.operator !== hashNgramOperator) return undefined;
    const source = tokenSource(node, false, draft);
    if (source === undefined || source.program.mode !== 'runs' || source.stopWords?.of === 'texts') return undefined;
    const { unit, minN, maxN, seed, signed, alternateSign, binary } = node.attributes;
    const attributes = [
      gramUnits.indexOf(unit as (typeof gramUnits)[number]),
      ...[minN, maxN, seed, signed, alternateSign, binary].map((attribute) => Number(attribute) | 0),
    ];
    return textCandidate('hash_ngram', node, source, draft, attributes, () => [
      textProgramOf(source.program, draft.context),
      ...(source.stopWords ? [source.stopWords.dictionary()] : []),
    ]);
  },
};
