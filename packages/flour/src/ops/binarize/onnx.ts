import type { Flow } from '../../flow.js';
import { onnxMappings } from '../../onnx-mapping.js';
import './index.js';

export const onnx = onnxMappings({
  domain: 'ai.onnx.ml',
  operator: 'Binarizer',
  versions: [1, 5],
  convert: (use) => [(use.row(0) as Flow<'vector'>).binarize(use.attributes.float('threshold', 0))],
});
