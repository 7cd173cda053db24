import { printType } from '@brezel/core';
import type { Flow } from '../../flow.js';
import { onnxMappings } from '../../onnx-mapping.js';
import './index.js';

export const onnx = onnxMappings({
  domain: '',
  operator: 'Softmax',
  versions: [1, 25],
  raise(use) {
    const flow = use.row(0);
    const axis = use.attributes.int('axis', use.opset < 13 ? 1 : -1);
    if (flow.kind !== 'vector' || (axis !== 1 && axis !== -1))
      throw use.unsupported(`Softmax of ${printType(flow.type)} on axis ${axis}`);
    return [(flow as Flow<'vector'>).softmax()];
  },
});
