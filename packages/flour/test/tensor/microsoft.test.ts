import { sigmoid } from '@brezel/core';
import { floats, nodeCases, tensor } from './one-node.js';

const bytes = (values: readonly number[], shape?: number[]) => tensor('uint8', values, shape);
const scale = (value: number) => floats([value], []);
const zero = (value: number) => bytes([value], []);
const domain = { domain: 'com.microsoft' } as const;

nodeCases('Gelu', domain, [['zero, and far away', [floats([0, 40, -40])], [floats([0, 40, -0])]]]);
nodeCases('BiasGelu', domain, [
  ['a bias for each column', [floats([-1, 38, -50, 36], [2, 2]), floats([1, 2])], [floats([0, 40, -0, 38], [2, 2])]],
]);
nodeCases('FastGelu', domain, [['with and without a bias', [floats([0, 40])], [floats([0, 40])]]]);
nodeCases('QuickGelu', domain, [
  ['by default 1.702', [floats([1])], [floats([sigmoid(Math.fround(1.702))])]],
  ['alpha', [floats([2])], [floats([2 * sigmoid(1)])], { attributes: { alpha: 0.5 } }],
]);

const [a, b] = [bytes([1, 3, 255], [3]), bytes([10], [1])];
nodeCases('QLinearAdd', domain, [
  // (a - 1) 0.5 + (10 - 2) 0.25, over 0.5, and 3
  [
    'repeated, halves to even, at most the range',
    [a, scale(0.5), zero(1), b, scale(0.25), zero(2), scale(0.5), zero(3)],
    [bytes([7, 9, 255])],
  ],
  ['zero points left out', [a, scale(1), undefined, b, scale(1), undefined, scale(2)], [bytes([6, 6, 132])]],
  ['two scales', [a, floats([1, 2]), undefined, b, scale(1), undefined, scale(1)], /a scale of shape \[2\]/],
  [
    'of another type',
    [a, scale(1), undefined, tensor('int8', [1]), scale(1), undefined, scale(1)],
    /input 3 of type int8/,
  ],
]);
nodeCases('QLinearMul', domain, [
  ['products', [a, scale(0.5), zero(1), b, scale(0.25), zero(2), scale(0.5), zero(3)], [bytes([3, 7, 255])]],
]);
