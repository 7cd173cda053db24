import type { Flow } from '../../flow.js';
import { type OnnxUse, onnxMappings } from '../../onnx-mapping.js';
import '../map/index.js';
import '../row-shape/index.js';
import './index.js';

export const onnx = onnxMappings(
  ...(['ArgMax', 'ArgMin'] as const).map((operator) => ({
    domain: '' as const,
    operator,
    versions: [1, 25] as const,
    convert(use: OnnxUse) {
      const axis = use.attributes.int('axis', 0);
      if (axis !== 1 && axis !== -1)
        throw use.unsupported(`${operator} on axis ${axis}`, 'only axis 1, the columns of a row');
      if (use.attributes.int('select_last_index', 0) !== 0) throw use.unsupported('select_last_index=1');
      const flow = use.row(0) as Flow<'vector'>;
      const index = (operator === 'ArgMax' ? flow : flow.map('negate')).argMax();
      return [use.attributes.int('keepdims', 1) === 1 ? index.asVector() : index];
    },
  })),
);
