import { onnxMappings } from '../../onnx-mapping.js';
import './index.js';

/**
 * Converts Identity. The package `onnx` converts Reshape and similar operators itself, because
 * their result depends on the position of the row axis.
 */
export const onnx = onnxMappings({
  domain: '',
  operator: 'Identity',
  versions: [1, 25],
  convert: (use) => [use.row(0)],
});
