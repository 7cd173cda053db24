import { sigmoid } from '@brezel/core';
import { floats, nodeCases, tensor } from '../../test/one-node.js';

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
  // ((a - 1) 0.5 + (10 - 2) 0.25) / 0.5 + 3
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

const int32 = (values: readonly number[], shape?: number[]) => tensor('int32', values, shape);
const square = floats([1, 2, 3, 4], [2, 2]);

nodeCases('FusedMatMul', domain, [
  [
    'turned, times alpha',
    [square, square],
    [floats([3.5, 7.5, 5, 11], [2, 2])],
    { attributes: { transA: 1, transB: 1, alpha: 0.5 } },
  ],
  // The first axis of A is moved after the batch axes.
  [
    'batches behind rows',
    [floats([1, 2, 3, 4], [2, 2, 1]), floats([1, 1], [2, 1, 1])],
    [floats([1, 3, 2, 4], [2, 2, 1])],
    { attributes: { transBatchA: 1 } },
  ],
  ['that do not fit', [square, floats([1, 2, 3], [3, 1])], /received shapes \[2, 2\] and \[3, 1\]/],
]);
nodeCases('FusedGemm', domain, [
  [
    'leaky',
    [square, floats([1, 0, 0, -1], [2, 2])],
    [floats([1, -0.5, 3, -1], [2, 2])],
    { attributes: { activation: 'LeakyRelu', activation_alpha: 0.25 } },
  ],
  ['without an activation', [square, square], [floats([7, 10, 15, 22], [2, 2])]],
  ['an unknown activation', [square, square], /activation 'Softmax'/, { attributes: { activation: 'Softmax' } }],
]);
nodeCases('MatMulIntegerToFloat', domain, [
  [
    'scales and zero points',
    [bytes([3, 5], [1, 2]), bytes([1, 2, 3, 4], [2, 2]), floats([0.5]), floats([1, 2]), bytes([1]), bytes([1, 0])],
    [floats([4, 20], [1, 2])],
  ],
  [
    'a bias',
    [bytes([1], [1, 1]), bytes([2], [1, 1]), floats([1]), floats([1]), undefined, undefined, floats([0.5])],
    [floats([2.5], [1, 1])],
  ],
  ['scales that do not fit', [bytes([1], [1, 1]), bytes([2], [1, 1]), floats([1]), floats([1, 1, 1])], /\[3\]/],
]);
nodeCases('DynamicQuantizeMatMul', domain, [
  // A is quantized with scale 1 and zero point 0.
  [
    'a row',
    [floats([0, 255], [1, 2]), bytes([7, 2], [2, 1]), floats([0.5]), bytes([1]), floats([1])],
    [floats([128.5], [1, 1])],
  ],
]);
nodeCases('LayerNormalization', { opset: 12 }, [
  ['before ONNX had it', [floats([1, -1]), floats([2, 2])], [floats([2, -2])], { attributes: { epsilon: 0 } }],
]);
nodeCases('SimplifiedLayerNormalization', { opset: 13 }, [
  [
    'by the root of the mean square',
    [floats([3, -3]), floats([1, 2])],
    [floats([1, -2])],
    { attributes: { epsilon: 0 } },
  ],
]);
nodeCases('SkipLayerNormalization', domain, [
  [
    'the sum of three, and the sum itself',
    [floats([1, 2], [1, 2]), floats([1, 0], [1, 2]), floats([1, 1]), floats([0, 1]), floats([1, -1])],
    [floats([1, 0], [1, 2]), floats([2], [1, 1]), floats([1], [1, 1]), floats([3, 1], [1, 2])],
    { attributes: { epsilon: 0 }, outputs: 4 },
  ],
  ['a skip that does not fit', [floats([1, 2], [1, 2]), floats([1, 0, 1]), floats([1, 1])], /\[3\]/],
]);
nodeCases('SkipSimplifiedLayerNormalization', domain, [
  [
    'no mean',
    [floats([2, 0], [1, 2]), floats([1, -3], [1, 2]), floats([1, 1])],
    [floats([1, -1], [1, 2])],
    { attributes: { epsilon: 0 } },
  ],
]);

/**
 * An attention node with one head of one number. The weights make all queries 0, so that all keys
 * have equal weight.
 */
const weights = floats([0, 0, 1], [1, 3]);
const steps = (...values: number[]) => floats(values, [1, values.length, 1]);
nodeCases('Attention', domain, [
  ['the mean of all values', [steps(1, 2, 6), weights], [steps(3, 3, 3)], { attributes: { num_heads: 1 } }],
  [
    'of those before',
    [steps(1, 3, 5), weights, floats([0, 0, 1])],
    [steps(2, 3, 4)],
    { attributes: { num_heads: 1, unidirectional: 1 } },
  ],
  [
    'of those that the mask shows',
    [steps(1, 3, 5), weights, undefined, int32([1, 0, 1], [1, 3])],
    [steps(3, 3, 3)],
    { attributes: { num_heads: 1, mask_filter_value: -1e9 } },
  ],
  [
    'of those kept before, too',
    [steps(3), weights, undefined, undefined, floats([0, 1], [2, 1, 1, 1, 1])],
    [steps(2), floats([0, 0, 1, 3], [2, 1, 1, 2, 1])],
    { attributes: { num_heads: 1 }, outputs: 2 },
  ],
  [
    'a mask of another shape',
    [steps(1, 3, 5), weights, undefined, int32([1, 0], [2, 1])],
    /a mask of shape \[2, 1\]/,
    { attributes: { num_heads: 1 } },
  ],
  ['what is not read', [steps(1), weights], /do_rotary = 1/, { attributes: { num_heads: 1, do_rotary: 1 } }],
]);
nodeCases('MultiHeadAttention', domain, [
  ['the mean of all values', [steps(0), steps(1, 2), steps(4, 6)], [steps(5)], { attributes: { num_heads: 1 } }],
  [
    'a bias of all three',
    [steps(0), steps(1, 2), steps(4, 6), floats([0, 5, 1])],
    [steps(6)],
    { attributes: { num_heads: 1 } },
  ],
  ['packed', [floats([0, 0, 0], [1, 1, 1, 3, 1])], /packed/, { attributes: { num_heads: 1 } }],
]);
const table = floats([1, -1, 3, -3], [2, 2]);
nodeCases('EmbedLayerNormalization', domain, [
  [
    'words and places; entries of the mask',
    [int32([0, 1], [1, 2]), undefined, table, table, undefined, floats([1, 1]), floats([0, 1]), int32([1, 0], [1, 2])],
    [floats([1, 0, 1, 0], [1, 2, 2]), int32([1]), floats([2, -2, 6, -6], [1, 2, 2])],
    { attributes: { epsilon: 0 }, outputs: 3 },
  ],
  [
    'a word that is none',
    [int32([2], [1, 1]), undefined, table, table, undefined, floats([1, 1]), floats([0, 1])],
    /index 2 of 2/,
  ],
]);
