import { dtypeOf, sizeOf } from '@brezel/core';
import type { Flow } from '../../flow.js';
import { type OnnxUse, onnxMappings } from '../../onnx-mapping.js';
import './index.js';

export const onnx = onnxMappings({
  domain: 'com.microsoft',
  operator: 'Tokenizer',
  versions: [1, 1],
  convert(use) {
    const { attributes } = use;
    const text = textOf(use);
    if (attributes.int('mark', 0) !== 0) throw use.unsupported('mark=1 (start and end marks)');
    attributes.string('pad_value'); // required; a row alone has no padding
    const minLength = attributes.int('mincharnum', 1);
    if (attributes.has('tokenexp'))
      return [text.tokenize({ by: { pattern: attributes.string('tokenexp') }, minLength })];
    const separators = attributes.strings('separators');
    // In ONNX, one empty separator means: split into characters.
    if (separators.length === 1 && separators[0] === '') return [text.tokenize({ by: 'characters', minLength })];
    return [text.tokenize({ by: { separators }, minLength })];
  },
});

/**
 * Returns the input of a tokenizer as a flow of one text per row. An input of shape `[N, 1]`
 * becomes a text.
 */
function textOf(use: OnnxUse): Flow<'text'> {
  const flow = use.row(0);
  const isColumn = flow.kind === 'vector' && dtypeOf(flow.type) === 'string' && sizeOf(flow.type) === 1;
  return (isColumn ? (flow as Flow<'vector'>).asScalar() : flow) as Flow<'text'>;
}
