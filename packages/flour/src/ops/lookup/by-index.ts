import { dtypeOf, sizeOf } from '@brezel/core';
import type { Flow } from '../../flow.js';
import type { OnnxUse } from '../../onnx-mapping.js';
import { lookup, lookupAttributes } from './index.js';

/** ArrayFeatureExtractor of a constant by the row's index: the result has shape [1, N], which is one entry a row. */
export function lookupOnnx(use: OnnxUse): Flow {
  const table = use.constant(0)!;
  const index = use.row(1);
  if (dtypeOf(index.type) !== 'int64' || sizeOf(index.type) !== 1)
    throw use.unsupported('ArrayFeatureExtractor of a constant by anything but one index a row');
  const entries = { ...table, shape: [table.data.length] };
  const parameter =
    entries.dtype === 'string' ? { dtype: entries.dtype, shape: entries.shape, values: entries.data } : entries;
  return use.flour.apply(lookup, [index], {
    attributes: lookupAttributes(parameter),
    parameters: { table: parameter },
  });
}
