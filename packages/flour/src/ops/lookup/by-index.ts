import { dtypeOf } from '@brezel/core';
import type { Flow } from '../../flow.js';
import type { OnnxUse } from '../../onnx-mapping.js';
import { lookUp } from './index.js';

/**
 * Converts an ArrayFeatureExtractor that reads entries of a constant table at indices of the row.
 * Returns the k entries of each row. ONNX instead lists the entries of all N rows in one row, of
 * the shape [1, N * k].
 */
export function lookupOnnx(use: OnnxUse): Flow {
  const table = use.constant(0)!;
  const index = use.row(1);
  if (dtypeOf(index.type) !== 'int64')
    throw use.unsupported('ArrayFeatureExtractor of a constant by anything but indices');
  if (table.shape.at(-1) !== table.data.length) throw use.unsupported(`entries of a table of shape [${table.shape}]`);
  const entries = { ...table, shape: [table.data.length] };
  const parameter =
    entries.dtype === 'string' ? { dtype: entries.dtype, shape: entries.shape, values: entries.data } : entries;
  return lookUp(index, parameter);
}
