import { tanh } from '@brezel/core';
import { describe } from 'vitest';
import { floats, nodeCases, type OneNode, tensor } from '../../test/one-node.js';

const none = undefined;
const f = Math.fround;
const attributes = (more: Record<string, number | string | readonly (number | string)[]>): OneNode => ({
  attributes: more as NonNullable<OneNode['attributes']>,
});
const lengths = (...values: number[]) => tensor('int32', values);

// One number in, one out: a sequence of 1, 2, 3 with weights that can be followed by hand.
const steps = floats([1, 2, 3], [3, 1, 1]);
const affine = { activations: ['Affine'] };

describe('RNN', () => {
  const [w, r] = [floats([1], [1, 1, 1]), floats([10], [1, 1, 1])];
  const both = [floats([1, 1], [2, 1, 1]), floats([10, 10], [2, 1, 1])] as const;
  nodeCases('RNN', { outputs: 2, ...attributes(affine) }, [
    ['every state, and the last', [steps, w, r], [floats([1, 12, 123], [3, 1, 1, 1]), floats([123], [1, 1, 1])]],
    ['two biases', [steps, w, r, floats([0.5, 0.25], [1, 2])], [floats([1.75, 20.25, 206.25], [3, 1, 1, 1])]],
    ['an initial state', [steps, w, r, none, none, floats([2], [1, 1, 1])], [floats([21, 212, 2123], [3, 1, 1, 1])]],
    [
      'from the end',
      [steps, w, r],
      [floats([321, 32, 3], [3, 1, 1, 1]), floats([321], [1, 1, 1])],
      attributes({ ...affine, direction: 'reverse' }),
    ],
    [
      'both ways',
      [steps, ...both],
      [floats([1, 321, 12, 32, 123, 3], [3, 2, 1, 1]), floats([123, 321], [2, 1, 1])],
      attributes({ activations: ['Affine', 'Affine'], direction: 'bidirectional' }),
    ],
    [
      'sequences of their own lengths: zeros behind them',
      [floats([1, 4, 2, 5, 3, 6], [3, 2, 1]), w, r, none, lengths(3, 1)],
      [floats([1, 4, 12, 0, 123, 0], [3, 1, 2, 1]), floats([123, 4], [1, 2, 1])],
    ],
    [
      'the end of a short one is where it ends',
      [floats([1, 4, 2, 5, 3, 6], [3, 2, 1]), w, r, none, lengths(3, 2)],
      [floats([321, 54, 32, 5, 3, 0], [3, 1, 2, 1]), floats([321, 54], [1, 2, 1])],
      attributes({ ...affine, direction: 'reverse' }),
    ],
    [
      'batch first',
      [floats([1, 2, 3, 4, 5, 6], [2, 3, 1]), w, r, none, none, floats([0, 1], [2, 1, 1])],
      [floats([1, 12, 123, 14, 145, 1456], [2, 3, 1, 1]), floats([123, 1456], [2, 1, 1])],
      attributes({ ...affine, layout: 1 }),
    ],
    ['no steps', [floats([], [0, 1, 1]), w, r], [floats([], [0, 1, 1, 1]), floats([0], [1, 1, 1])]],
    ['tanh by default', [steps, w, r], [floats([tanh(1), tanh(2 + 10 * f(tanh(1))), 1], [3, 1, 1, 1])], attributes({})],
    [
      'numbers for those that read them, in order',
      [floats([-2, -1], [2, 1, 1]), ...both],
      // `activation_alpha` and `activation_beta` list numbers only for activations that read them.
      // LeakyRelu takes alpha 0.5; Affine takes alpha 2 and beta 1. Forward: 0.5 * -2, then 0.5 *
      // (-1 + 10 * -1). Backward: 2 * -1 + 1, then 2 * (-2 + 10 * -1) + 1.
      [floats([-1, -23, -5.5, -1], [2, 2, 1, 1])],
      attributes({
        activations: ['LeakyRelu', 'Affine'],
        activation_alpha: [0.5, 2],
        activation_beta: [1],
        direction: 'bidirectional',
      }),
    ],
    ['clipped inputs', [steps, w, r], [floats([1, 5, 5], [3, 1, 1, 1])], attributes({ ...affine, clip: 5 })],
    ['names in any case', [steps, w, r], [floats([1, 12, 123], [3, 1, 1, 1])], attributes({ activations: ['RELU'] })],
    ['another activation', [steps, w, r], /the activation 'toString'/, attributes({ activations: ['toString'] })],
    ['too few activations', [steps, ...both], /1 activations/, attributes({ ...affine, direction: 'bidirectional' })],
    ['weights for another width', [floats([1, 2], [1, 1, 2]), w, r], /W \[1, 1, 1\] for X \[1, 1, 2\]/],
    ['another hidden_size than the weights', [steps, w, r], /W \[1, 1, 1\]/, attributes({ ...affine, hidden_size: 2 })],
    ['no recurrent weights', [steps, w], /no input 2/],
    ['a longer sequence than there is', [steps, w, r, none, lengths(4)], /received length 4 of sequence 0/],
    ['a state of another shape', [steps, w, r, none, none, floats([1, 2], [1, 2, 1])], /input 5 of shape \[1, 2, 1\]/],
  ]);
});

describe('GRU', () => {
  const w = floats([0, 0, 1], [1, 3, 1]);
  const r = floats([0, 0, 2], [1, 3, 1]);
  // The gates are z, r and h. The first three numbers are biases of the inputs, the others of the
  // states. Affine returns its input, so z = 0.5 and r = 0.25.
  const b = floats([0.5, 0.25, 0, 0, 0, 8], [1, 6]);
  const plain = { activations: ['Affine', 'Affine'] };
  nodeCases('GRU', { outputs: 2, ...attributes(plain) }, [
    [
      'the reset gate before the weights',
      [floats([1, 2], [2, 1, 1]), w, r, b],
      // 0.5 * (1 + 0 + 8); 0.5 * (2 + 2 * 0.25 * 4.5 + 8) + 0.5 * 4.5
      [floats([4.5, 8.375], [2, 1, 1, 1]), floats([8.375], [1, 1, 1])],
    ],
    [
      'the reset gate after the weights and their bias',
      [floats([1, 2], [2, 1, 1]), w, r, b],
      // 0.5 * (1 + 0.25 * 8); 0.5 * (2 + 0.25 * (2 * 1.5 + 8)) + 0.5 * 1.5
      [floats([1.5, 3.125], [2, 1, 1, 1])],
      attributes({ ...plain, linear_before_reset: 1 }),
    ],
    [
      'sigmoid and tanh by default',
      [floats([1], [1, 1, 1]), w, r],
      [floats([0.5 * tanh(1)], [1, 1, 1, 1])],
      attributes({}),
    ],
  ]);
});

describe('LSTM', () => {
  // Gates i, o, f, c.
  const w = floats([0, 0, 0, 1], [1, 4, 1]);
  const r = floats([0, 0, 0, 0], [1, 4, 1]);
  const b = floats([0.5, 2, 0.25, 0, 0, 0, 0, 0], [1, 8]);
  const plain = { activations: ['Affine', 'Affine', 'Affine'] };
  const two = floats([4, 8], [2, 1, 1]);
  const cell = f(0.5 * tanh(1));
  const first = f(0.5 * tanh(0.5 * tanh(1)));
  const zeros = (shape: number[]) => floats(new Array(shape.reduce((count, size) => count * size)).fill(0), shape);
  nodeCases('LSTM', { outputs: 3, ...attributes(plain) }, [
    [
      'states, the last one, the last cell',
      [two, w, r, b],
      // The cell C is 0.5 * 4 and then 0.25 * 2 + 0.5 * 8. The output gate is 2, so H = 2 C.
      [floats([4, 9], [2, 1, 1, 1]), floats([9], [1, 1, 1]), floats([4.5], [1, 1, 1])],
    ],
    [
      'initial states',
      [two, w, r, b, none, floats([0], [1, 1, 1]), floats([8], [1, 1, 1])],
      [floats([8, 10], [2, 1, 1, 1])],
    ],
    [
      'peepholes of i, o and f: the output gate sees the new cell',
      [floats([4], [1, 1, 1]), w, r, b, none, none, floats([8], [1, 1, 1]), floats([1, 10, 0.5], [1, 3])],
      // i = 0.5 + 8, f = 0.25 + 4, C = 4.25 * 8 + 8.5 * 4 = 68, o = 2 + 680
      [floats([682 * 68], [1, 1, 1, 1]), floats([682 * 68], [1, 1, 1]), floats([68], [1, 1, 1])],
    ],
    [
      'the forget gate coupled to the input gate',
      [two, w, r, b],
      [floats([4, 10], [2, 1, 1, 1])], // C: 2, then 0.5 * 2 + 0.5 * 8
      attributes({ ...plain, input_forget: 1 }),
    ],
    [
      'by default',
      [floats([4], [1, 1, 1]), w, r],
      [floats([0.5 * tanh(0.5 * tanh(4))], [1, 1, 1, 1])],
      attributes({ hidden_size: 1 }),
    ],
    [
      'states are float32 after every step',
      [floats([1, 1], [2, 1, 1]), w, floats([0, 0, 0, 1], [1, 4, 1])],
      [floats([first, 0.5 * tanh(0.5 * cell + 0.5 * tanh(1 + first))], [2, 1, 1, 1])],
      attributes({}),
    ],
    ['peepholes of another shape', [two, w, r, b, none, none, none, floats([1], [1, 1])], /input 7 of shape \[1, 1\]/],
    [
      'long sums count, too',
      [zeros([40, 1, 64]), zeros([1, 256, 64]), zeros([1, 256, 64])],
      /budget: 1280 elements/, // 40 steps of 256 * 128 products
      { ...attributes({}), budget: 1000 },
    ],
  ]);
});
