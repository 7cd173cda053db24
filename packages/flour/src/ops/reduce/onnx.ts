import type { Flow } from '../../flow.js';
import { type OnnxMapping, type OnnxUse, onnxMappings } from '../../onnx-mapping.js';
import '../row-shape/index.js';
import './index.js';
import { onnxReductions } from './reference.js';

export const onnx = onnxMappings(
  ...Object.entries(onnxReductions).map(
    ([operator, reduction]): OnnxMapping => ({
      domain: '',
      operator,
      versions: [1, 25],
      convert(use) {
        const axes = reductionAxes(use);
        if (axes.length !== 1 || (axes[0] !== 1 && axes[0] !== -1))
          throw use.unsupported(`${operator} on axes [${axes}]`, 'only axis 1, the columns of a row');
        const reduced = (use.row(0) as Flow<'vector'>).reduce(reduction);
        return [use.attributes.int('keepdims', 1) === 1 ? reduced.asVector() : reduced];
      },
    }),
  ),
);

/**
 * Returns the axes that an ONNX node reduces. Before operator set 13 or 18, depending on the
 * operator, an attribute holds them; later, an input does.
 */
function reductionAxes(use: OnnxUse): number[] {
  if (use.attributes.has('axes')) return use.attributes.ints('axes');
  return Array.from((use.constant(1)?.data ?? []) as ArrayLike<number | bigint>, Number);
}
