import { dtypeOf } from '@brezel/core';
import type { Flow } from '../../flow.js';
import { onnxMappings } from '../../onnx-mapping.js';
import './index.js';

export const onnx = onnxMappings({
  domain: 'ai.onnx.ml',
  operator: 'Imputer',
  versions: [1, 5],
  convert(use) {
    const flow = use.row(0) as Flow<'vector'>;
    const { attributes } = use;
    const isInteger = ['int64', 'int32'].includes(dtypeOf(flow.type));
    const name = isInteger ? 'imputed_value_int64s' : 'imputed_value_floats';
    if (!attributes.has(name)) throw use.unsupported(`an Imputer of ${dtypeOf(flow.type)} without ${name}`);
    if (isInteger)
      return [flow.impute({ values: attributes.ints(name), missing: attributes.int('replaced_value_int64', 0) })];
    return [flow.impute({ values: attributes.floats(name), missing: attributes.float('replaced_value_float', 0) })];
  },
});
