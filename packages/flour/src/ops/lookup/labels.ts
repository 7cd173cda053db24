import type { Flow } from '../../flow.js';
import type { OnnxUse } from '../../onnx-mapping.js';
import type { Labels } from './index.js';

/**
 * Returns the class labels of an ONNX-ML classifier: strings or integers. The last arguments are
 * the names of the attributes that may hold them.
 */
export function classLabels(
  use: OnnxUse,
  integers: string,
  strings: string,
): { values: Labels; of(index: Flow<'scalar'>): Flow } {
  const values: Labels = use.attributes.has(strings)
    ? use.attributes.strings(strings)
    : use.attributes.has(integers)
      ? use.attributes.ints(integers)
      : [];
  if (values.length === 0) throw use.unsupported('a classifier without class labels');
  return { values, of: (index) => index.labels(values) };
}
