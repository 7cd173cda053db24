import { printType, sizeOf } from '@brezel/core';
import type { Flow } from '../../flow.js';
import { type OnnxUse, onnxMappings } from '../../onnx-mapping.js';
import './index.js';

/** Operators that only re-type a row: every row keeps its elements, in their order. */
export const onnx = onnxMappings(
  { domain: '', operator: 'Identity', versions: [1, 25], raise: (use) => [use.row(0)] },
  {
    domain: '',
    operator: 'Reshape',
    versions: [1, 25],
    raise(use) {
      const shape = use.attributes.has('shape')
        ? use.attributes.ints('shape')
        : Array.from((use.constant(1)?.data ?? []) as ArrayLike<number | bigint>, Number);
      return [reshaped(use, use.row(0), shape)];
    },
  },
  {
    domain: '',
    operator: 'Flatten',
    versions: [1, 25],
    raise(use) {
      const axis = use.attributes.int('axis', 1);
      const flow = use.row(0);
      if (axis !== 1) throw use.unsupported(`Flatten on axis ${axis}`, 'only axis 1 keeps rows apart');
      return [flow.kind === 'scalar' || flow.kind === 'text' ? (flow as Flow<'scalar'>).asVector() : flow];
    },
  },
);

function reshaped(use: OnnxUse, flow: Flow, shape: readonly number[]): Flow {
  const size = sizeOf(flow.type);
  const asScalar = shape.length === 1 && shape[0] === -1 && size === 1;
  // The first axis must stay the batch: -1, or 0 (as it was).
  const columns = shape[1] === -1 || shape[1] === 0 ? size : shape[1];
  const asVector = shape.length === 2 && (shape[0] === -1 || shape[0] === 0) && columns === size;
  if (!asScalar && !asVector)
    throw use.unsupported(
      `Reshape of ${printType(flow.type)} to [${shape}]`,
      'only shapes that keep every row apart can be imported',
    );
  if (asScalar) return flow.kind === 'vector' ? (flow as Flow<'vector'>).asScalar() : flow;
  return flow.kind === 'vector' ? flow : (flow as Flow<'scalar'>).asVector();
}
