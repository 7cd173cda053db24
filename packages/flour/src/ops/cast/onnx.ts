import { dtypeOf, type NumericDType } from '@brezel/core';
import type { Flow } from '../../flow.js';
import { onnxMappings } from '../../onnx-mapping.js';
import './index.js';

/** TensorProto element types. */
const types: Readonly<Record<number, NumericDType | 'string'>> = {
  1: 'float32',
  6: 'int32',
  7: 'int64',
  8: 'string',
  9: 'bool',
  11: 'float64',
};

export const onnx = onnxMappings({
  domain: '',
  operator: 'Cast',
  versions: [6, 25],
  raise(use) {
    const to = types[use.attributes.int('to')];
    const flow = use.row(0) as Flow<'vector'>;
    if (to !== undefined && to === dtypeOf(flow.type)) return [flow];
    if (to === undefined || to === 'string' || dtypeOf(flow.type) === 'string') {
      throw use.unsupported(`Cast from ${dtypeOf(flow.type)} to element type ${use.attributes.int('to')}`);
    }
    return [flow.cast(to)];
  },
});
