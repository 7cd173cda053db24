import { printType } from '@brezel/core';
import type { Flow } from '../../flow.js';
import { type OnnxUse, onnxMappings } from '../../onnx-mapping.js';
import './index.js';

export const onnx = onnxMappings(
  ...(['Softmax', 'LogSoftmax'] as const).map((operator) => ({
    domain: '' as const,
    operator,
    versions: [1, 25] as const,
    convert(use: OnnxUse) {
      const flow = use.row(0);
      const axis = use.attributes.int('axis', use.opset < 13 ? 1 : -1);
      if (flow.kind !== 'vector' || (axis !== 1 && axis !== -1))
        throw use.unsupported(`${operator} of ${printType(flow.type)} on axis ${axis}`);
      const scores = flow as Flow<'vector'>;
      return [operator === 'Softmax' ? scores.softmax() : scores.softmax({ logarithm: true })];
    },
  })),
);
