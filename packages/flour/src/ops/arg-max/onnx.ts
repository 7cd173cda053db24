import type { Flow } from '../../flow.js';
import { onnxMappings } from '../../onnx-mapping.js';
import '../row-shape/index.js';
import './index.js';

export const onnx = onnxMappings({
  domain: '',
  operator: 'ArgMax',
  versions: [1, 25],
  raise(use) {
    const axis = use.attributes.int('axis', 0);
    if (axis !== 1 && axis !== -1) throw use.unsupported(`ArgMax on axis ${axis}`, 'only axis 1, the columns of a row');
    if (use.attributes.int('select_last_index', 0) !== 0) throw use.unsupported('select_last_index=1');
    const index = (use.row(0) as Flow<'vector'>).argMax();
    return [use.attributes.int('keepdims', 1) === 0 ? index : index.asVector()];
  },
});
