import { onnxMappings } from '../../onnx-mapping.js';
import './index.js';

/** Reshape and its kin give the elements of a row other axes: the importer does that, for any axis the rows lie at. */
export const onnx = onnxMappings({
  domain: '',
  operator: 'Identity',
  versions: [1, 25],
  raise: (use) => [use.row(0)],
});
