import type { Flow } from '../../flow.js';
import { onnxMappings } from '../../onnx-mapping.js';
import './index.js';

export const onnx = onnxMappings({
  domain: '',
  operator: 'CumSum',
  versions: [11, 25],
  convert(use) {
    const axis = Number(use.constant(1)?.data[0] ?? Number.NaN);
    const flow = use.row(0);
    if (flow.kind !== 'vector' || (axis !== 1 && axis !== -1))
      throw use.unsupported(`CumSum of a ${flow.kind} on axis ${axis}`, 'only axis 1, the columns of a row');
    const flag = (name: string) => use.attributes.int(name, 0) !== 0;
    return [(flow as Flow<'vector'>).cumulativeSum({ exclusive: flag('exclusive'), reverse: flag('reverse') })];
  },
});
