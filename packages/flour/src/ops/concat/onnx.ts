import type { Flow } from '../../flow.js';
import { onnxMappings } from '../../onnx-mapping.js';
import './index.js';

export const onnx = onnxMappings({
  domain: '',
  operator: 'Concat',
  versions: [4, 25],
  raise(use) {
    const axis = use.attributes.int('axis');
    if (axis !== 1 && axis !== -1)
      throw use.unsupported(`Concat on axis ${axis}`, 'rows are joined only along axis 1, their features');
    const [first, ...others] = use.inputs.map((_, index) => use.row(index) as Flow<'vector'>);
    return [others.length === 0 ? first : first!.concat(...others)];
  },
});
