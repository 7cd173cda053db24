import { onnxMappings } from '../../onnx-mapping.js';
import { joinTexts } from './index.js';
import { textOperands } from './operands.js';

export const onnx = onnxMappings({
  domain: '',
  operator: 'StringConcat',
  versions: [20, 25],
  convert: (use) => [joinTexts(...textOperands(use))],
});
