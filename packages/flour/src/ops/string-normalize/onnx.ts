import type { Flow } from '../../flow.js';
import { onnxMappings } from '../../onnx-mapping.js';
import './index.js';

const actions = { LOWER: 'lower', UPPER: 'upper', NONE: 'none' } as const;

export const onnx = onnxMappings({
  domain: '',
  operator: 'StringNormalizer',
  versions: [10, 25],
  raise(use) {
    const action = use.attributes.string('case_change_action', 'NONE');
    if (!Object.hasOwn(actions, action)) throw use.unsupported(`case_change_action "${action}"`);
    const stopWords = use.attributes.has('stopwords') ? use.attributes.strings('stopwords') : [];
    if (stopWords.length > 0) {
      use.warn(
        `StringNormalizer has ${stopWords.length} stop words, which remove whole texts and not words: a row that equals one is treated as empty`,
      );
    }
    const text = use.row(0) as Flow<'text'>;
    const caseSensitive = use.attributes.int('is_case_sensitive', 0) !== 0;
    return [text.stringNormalize({ case: actions[action as keyof typeof actions], stopWords, caseSensitive })];
  },
});
