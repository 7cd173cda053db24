import type { Flow } from '../../flow.js';
import { type OnnxUse, onnxMappings } from '../../onnx-mapping.js';

const actions = { LOWER: 'lower', UPPER: 'upper', NONE: 'none' } as const;

export const onnx = onnxMappings({
  domain: '',
  operator: 'StringNormalizer',
  versions: [10, 25],
  convert(use) {
    const action = use.attributes.string('case_change_action', 'NONE');
    if (!Object.hasOwn(actions, action)) throw use.unsupported(`case_change_action "${action}"`);
    const count = use.attributes.has('stopwords') ? use.attributes.count('stopwords') : 0;
    const read = () => use.attributes.stringParameter('stopwords');
    const stopWords = count > 0 ? use.flour.derive(`stop words ${use.attributes.checksum('stopwords')}`, read) : [];
    if (count > 0) {
      checkWholeTexts(use);
      use.warn(
        `StringNormalizer has ${count} stop words, which apply to whole texts and not to words: a text that equals a stop word becomes empty${action === 'LOWER' ? '. With stop words, skl2onnx ignores lowercase=False of the vectorizer' : ''}`,
      );
    }
    const text = use.row(0) as Flow<'text'>;
    const caseSensitive = use.attributes.int('is_case_sensitive', 0) !== 0;
    return [text.stringNormalize({ case: actions[action as keyof typeof actions], stopWords, caseSensitive })];
  },
});

/**
 * Rejects a node that removes stop words, unless only tokenizers read its result. In ONNX, such a
 * node removes strings from the list of all rows, so that texts move to other rows. Brezel accepts
 * it only before a tokenizer, because exporters write it there and intend that each row has its own
 * text.
 */
function checkWholeTexts({ users, unsupported }: OnnxUse): void {
  if (users.every((user) => user === 'Tokenizer')) return;
  throw unsupported('stop words that remove elements of a list', 'only before a Tokenizer each text is a row');
}
