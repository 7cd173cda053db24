import type { Flow } from '../../flow.js';
import { type OnnxMapping, onnxMappings } from '../../onnx-mapping.js';
import { onnxOperands } from '../arithmetic/operands.js';
import './index.js';
import type { Comparison } from './reference.js';

const operators: readonly (readonly [operator: string, comparison: Comparison])[] = [
  ['Greater', 'greater'],
  ['Less', 'less'],
  ['Equal', 'equal'],
  ['GreaterOrEqual', 'greaterOrEqual'],
  ['LessOrEqual', 'lessOrEqual'],
];

export const onnx = onnxMappings(
  ...operators.map(
    ([operator, comparison]): OnnxMapping => ({
      domain: '',
      operator,
      versions: [1, 25],
      raise(use) {
        const { flows, constant, side } = onnxOperands(use);
        return [(flows[0] as Flow<'vector'>).compare(comparison, constant ?? (flows[1] as Flow<'vector'>), side)];
      },
    }),
  ),
);
