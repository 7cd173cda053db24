import type { Flow } from '../../flow.js';
import { type OnnxMapping, onnxMappings } from '../../onnx-mapping.js';
import '../densify/index.js';
import './index.js';
import type { MapFunction } from './reference.js';

const operators: readonly (readonly [operator: string, name: MapFunction])[] = [
  ['Exp', 'exp'],
  ['Log', 'log'],
  ['Sigmoid', 'sigmoid'],
  ['Tanh', 'tanh'],
  ['Relu', 'relu'],
  ['Neg', 'negate'],
  ['Abs', 'abs'],
  ['Sqrt', 'sqrt'],
  ['Reciprocal', 'reciprocal'],
  ['Sign', 'sign'],
  ['Floor', 'floor'],
  ['Ceil', 'ceil'],
];

export const onnx = onnxMappings(
  ...operators.map(
    ([operator, name]): OnnxMapping => ({
      domain: '',
      operator,
      versions: [1, 25],
      raise: (use) => [(use.row(0) as Flow<'vector'>).map(name)],
    }),
  ),
);
