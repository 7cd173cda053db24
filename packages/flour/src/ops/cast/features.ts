import { dtypeOf } from '@brezel/core';
import type { Flow } from '../../flow.js';
import type { OnnxUse } from '../../onnx-mapping.js';
import '../row-shape/index.js';
import './index.js';

/**
 * Returns input `index` of a node as a float32 vector. Mappings of ONNX-ML models call it, because
 * these models compute in float32.
 */
export function featuresOf(use: OnnxUse, index = 0): Flow<'vector'> {
  const flow = use.row(index) as Flow<'vector'>;
  if (dtypeOf(flow.type) === 'string' || (flow.kind as string) === 'map')
    throw use.unsupported(`${dtypeOf(flow.type) === 'string' ? 'text' : 'a map'} as features`);
  const numbers = dtypeOf(flow.type) === 'float32' ? flow : flow.cast('float32');
  return numbers.kind === 'vector' ? numbers : (numbers as unknown as Flow<'scalar'>).asVector();
}
