import { sizeOf } from '@brezel/core';
import type { Flow } from '../../flow.js';
import { type OnnxMapping, type OnnxUse, onnxMappings } from '../../onnx-mapping.js';
import '../weight/index.js';
import './index.js';
import { onnxOperands } from './operands.js';
import type { Operation } from './reference.js';

const operators: readonly (readonly [operator: string, operation: Operation])[] = [
  ['Add', 'add'],
  ['Sub', 'subtract'],
  ['Mul', 'multiply'],
  ['Div', 'divide'],
];

export const onnx = onnxMappings(
  ...operators.map(
    ([operator, operation]): OnnxMapping => ({
      domain: '',
      operator,
      versions: [1, 25],
      raise: (use) => [binary(use, operation)],
    }),
  ),
  {
    domain: '',
    operator: 'Sum',
    versions: [1, 25],
    raise: (use) => [
      use.inputs.map((_, index) => use.row(index) as Flow<'vector'>).reduce((sum, flow) => sum.arithmetic('add', flow)),
    ],
  },
);

function binary(use: OnnxUse, operation: Operation): Flow {
  const { flows, constant, side } = onnxOperands(use);
  const flow = flows[0] as Flow<'vector'>;
  // Term counts times a constant a column stay sparse: that is how exporters write idf.
  if (operation === 'multiply' && flow.type.kind === 'sparse' && constant?.length === sizeOf(flow.type))
    return flow.tfIdf({ idf: constant });
  return flow.arithmetic(operation, constant ?? (flows[1] as Flow<'vector'>), side);
}
