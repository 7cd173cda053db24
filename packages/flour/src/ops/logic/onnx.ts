import { dtypeOf } from '@brezel/core';
import type { Flow } from '../../flow.js';
import { type OnnxMapping, onnxMappings } from '../../onnx-mapping.js';
import { onnxOperands } from '../arithmetic/operands.js';
import './index.js';
import type { Connective } from './reference.js';

const operators: readonly (readonly [operator: string, connective: Connective])[] = [
  ['And', 'and'],
  ['Or', 'or'],
  ['Xor', 'xor'],
];

export const onnx = onnxMappings(
  ...operators.map(
    ([operator, connective]): OnnxMapping => ({
      domain: '',
      operator,
      versions: [1, 25],
      convert(use) {
        const { flows, constant } = onnxOperands(use);
        const [first, second] = flows as [Flow<'vector'>, Flow<'vector'>];
        if (dtypeOf(first.type) !== 'bool') throw use.unsupported(`an input of type ${dtypeOf(first.type)}`);
        return [first.logic(connective, constant ?? second)];
      },
    }),
  ),
);
