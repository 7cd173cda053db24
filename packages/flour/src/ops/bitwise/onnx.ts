import type { Flow } from '../../flow.js';
import { type OnnxMapping, type OnnxUse, onnxMappings } from '../../onnx-mapping.js';
import { onnxOperands } from '../arithmetic/operands.js';
import './index.js';
import type { BitFunction } from './reference.js';

const operators: readonly (readonly [operator: string, name: BitFunction])[] = [
  ['BitwiseAnd', 'and'],
  ['BitwiseOr', 'or'],
  ['BitwiseXor', 'xor'],
];

export const onnx = onnxMappings(
  ...operators.map(
    ([operator, name]): OnnxMapping => ({
      domain: '',
      operator,
      versions: [18, 25],
      convert: (use) => [combined(use, name)],
    }),
  ),
  {
    domain: '',
    operator: 'BitwiseNot',
    versions: [18, 25],
    convert: (use) => [(use.row(0) as Flow<'vector'>).bitwise('xor', -1)],
  },
  {
    domain: '',
    operator: 'BitShift',
    versions: [11, 25],
    convert(use) {
      const direction = use.attributes.string('direction');
      if (direction !== 'LEFT' && direction !== 'RIGHT') throw use.unsupported(`direction "${direction}"`);
      return [combined(use, direction === 'LEFT' ? 'shiftLeft' : 'shiftRight')];
    },
  },
);

function combined(use: OnnxUse, name: BitFunction): Flow {
  const { flows, constant, side } = onnxOperands(use);
  return (flows[0] as Flow<'vector'>).bitwise(name, constant ?? (flows[1] as Flow<'vector'>), side);
}
