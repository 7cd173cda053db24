import { onnxMappings } from '../../onnx-mapping.js';
import './index.js';

/**
 * Reshape and similar operators change the axes of a row. The importer converts these operators,
 * for any position of the row axis.
 */
export const onnx = onnxMappings({
  domain: '',
  operator: 'Identity',
  versions: [1, 25],
  convert: (use) => [use.row(0)],
});
