import type { Flow } from '../../flow.js';
import { onnxMappings } from '../../onnx-mapping.js';
import './index.js';

export const onnx = onnxMappings({
  domain: '',
  operator: 'TopK',
  versions: [1, 25],
  convert(use) {
    const axis = use.attributes.int('axis', -1);
    const flow = use.row(0);
    if (flow.kind !== 'vector' || (axis !== 1 && axis !== -1))
      throw use.unsupported(`TopK of a ${flow.kind} on axis ${axis}`, 'only axis 1, the columns of a row');
    const k = use.opset < 10 ? use.attributes.int('k') : Number(use.constant(1)?.data[0] ?? Number.NaN);
    const least = use.attributes.int('largest', 1) !== 1;
    const { values, indices } = (flow as Flow<'vector'>).topK({ k, least });
    return [values, indices];
  },
});
