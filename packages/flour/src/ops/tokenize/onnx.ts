import type { Flow } from '../../flow.js';
import { onnxMappings } from '../../onnx-mapping.js';
import './index.js';

export const onnx = onnxMappings({
  domain: 'com.microsoft',
  operator: 'Tokenizer',
  versions: [1, 1],
  raise(use) {
    const { attributes } = use;
    const text = use.row(0) as Flow<'text'>;
    if (attributes.int('mark', 0) !== 0) throw use.unsupported('mark=1 (start and end marks)');
    const minLength = attributes.int('mincharnum', 1);
    if (attributes.has('tokenexp'))
      return [text.tokenize({ by: { pattern: attributes.string('tokenexp') }, minLength })];
    const separators = attributes.strings('separators');
    // One empty separator is how the ONNX operator asks for characters.
    if (separators.length === 1 && separators[0] === '') return [text.tokenize({ by: 'characters', minLength })];
    return [text.tokenize({ by: { separators }, minLength })];
  },
});
