import { describe } from 'vitest';
import { bools, floats, ints, nodeCases, type OneNode, tensor } from '../../test/one-node.js';

const none = undefined;
const attributes = (more: Record<string, number | string>): OneNode => ({ attributes: more });
const { NEGATIVE_INFINITY: least } = Number;

describe('Attention', () => {
  // The query is 1 and the keys are 0 and log 3. The scores are their products, so the weights have
  // the ratio 1 to 3.
  const q = floats([1], [1, 1, 1, 1]);
  const k = floats([0, Math.log(3)], [1, 1, 2, 1]);
  const v = floats([4, 8], [1, 1, 2, 1]);
  nodeCases('Attention', { outputs: 4 }, [
    [
      'weights of keys for their values',
      [q, k, v],
      [floats([7], [1, 1, 1, 1]), k, v, floats([0, Math.log(3)], [1, 1, 1, 2])],
    ],
    ['a scale', [q, k, v], [floats([6], [1, 1, 1, 1])], attributes({ scale: 0 })],
    [
      'by default one over the root of the size',
      [floats([1, 1, 1, 1], [1, 1, 1, 4]), floats([0, 0, 0, 0, 2 * Math.log(3), 0, 0, 0], [1, 1, 2, 4]), v],
      [floats([7], [1, 1, 1, 1])],
    ],
    ['bools say which keys count', [q, k, v, bools([1, 0], [1, 2])], [floats([4], [1, 1, 1, 1])]],
    ['numbers are added', [q, k, v, floats([Math.log(3), 0], [1, 2])], [floats([6], [1, 1, 1, 1])]],
    [
      'keys behind a short mask do not count',
      [q, floats([0, 0, 9], [1, 1, 3, 1]), floats([4, 8, 99], [1, 1, 3, 1]), bools([1, 1], [1, 2])],
      [floats([6], [1, 1, 1, 1])],
    ],
    ['a query that sees no key gives zeros', [q, k, v, bools([0, 0], [1, 2])], [floats([0], [1, 1, 1, 1])]],
    [
      'and so do its weights',
      [q, k, v, floats([least, least], [1, 2])],
      [floats([0], [1, 1, 1, 1]), k, v, floats([0, 0], [1, 1, 1, 2])],
      attributes({ qk_matmul_output_mode: 3 }),
    ],
    [
      'only keys that came before',
      [floats([0, 0], [1, 1, 2, 1]), k, v],
      [floats([4, 6], [1, 1, 2, 1])],
      attributes({ is_causal: 1 }),
    ],
    [
      'kept keys came before',
      [floats([0, 0], [1, 1, 2, 1]), k, v, none, floats([5], [1, 1, 1, 1]), floats([20], [1, 1, 1, 1])],
      [floats([12, 32 / 3], [1, 1, 2, 1]), floats([5, 0, Math.log(3)], [1, 1, 3, 1]), floats([20, 4, 8], [1, 1, 3, 1])],
      attributes({ is_causal: 1 }),
    ],
    [
      'keys that are no padding; the last query is the last of them',
      [
        floats([0, 0], [1, 1, 2, 1]),
        floats([0, 0, 0, 0], [1, 1, 4, 1]),
        floats([1, 3, 5, 99], [1, 1, 4, 1]),
        none,
        none,
        none,
        ints([3]),
      ],
      [floats([2, 3], [1, 1, 2, 1])],
      attributes({ is_causal: 1 }),
    ],
    [
      'a window',
      [floats([0, 0, 0], [1, 1, 3, 1]), floats([0, 0, 0], [1, 1, 3, 1]), floats([1, 3, 9], [1, 1, 3, 1])],
      [floats([2, 6, 9], [1, 1, 3, 1])],
      attributes({ left_window_size: 0, right_window_size: 1 }),
    ],
    [
      'softened before the mask', // 2 tanh(log 3 / 2) is 1
      [q, k, v, floats([1, 0], [1, 2])],
      [floats([6], [1, 1, 1, 1]), k, v, floats([0, 1], [1, 1, 1, 2])],
      attributes({ softcap: 2, qk_matmul_output_mode: 1 }),
    ],
    [
      'with the mask',
      [q, k, v, floats([Math.log(3), 0], [1, 2])],
      [floats([6], [1, 1, 1, 1]), k, v, floats([Math.log(3), Math.log(3)], [1, 1, 1, 2])],
      attributes({ qk_matmul_output_mode: 2 }),
    ],
    [
      'three axes: heads lie side by side',
      [floats([1, 0], [1, 1, 2]), floats([0, 0, Math.log(3), 0], [1, 2, 2]), floats([4, 4, 8, 8], [1, 2, 2])],
      [floats([7, 6], [1, 1, 2]), floats([0, Math.log(3), 0, 0], [1, 2, 2, 1])],
      attributes({ q_num_heads: 2, kv_num_heads: 2 }),
    ],
    [
      'heads that share keys',
      [
        floats([1, 0, -1, 0], [1, 4, 1, 1]),
        floats([0, Math.log(3), 0, Math.log(3)], [1, 2, 2, 1]),
        floats([4, 8, 40, 80], [1, 2, 2, 1]),
      ],
      [floats([7, 6, 50, 60], [1, 4, 1, 1])],
    ],
    [
      'float16',
      [
        tensor('float16', [1], [1, 1, 1, 1]),
        tensor('float16', [0, 0], [1, 1, 2, 1]),
        tensor('float16', [4, 8], [1, 1, 2, 1]),
      ],
      [tensor('float16', [6], [1, 1, 1, 1])],
    ],
    [
      'no number of heads',
      [floats([1], [1, 1, 1]), floats([1], [1, 1, 1]), floats([1], [1, 1, 1])],
      /received shape \[1, 1, 1\]/,
    ],
    [
      'heads that do not divide',
      [floats([1, 1], [1, 1, 2]), k, v],
      /2 columns for 3 heads/,
      attributes({ q_num_heads: 3 }),
    ],
    ['values of other steps', [q, k, floats([1], [1, 1, 1, 1])], /values \[1, 1, 1, 1\]/],
    [
      'keys kept without values',
      [q, k, v, none, floats([5], [1, 1, 1, 1])],
      /keys \[1, 1, 3, 1\], values \[1, 1, 2, 1\]/,
    ],
    ['another mode', [q, k, v], /qk_matmul_output_mode 4/, attributes({ qk_matmul_output_mode: 4 })],
    [
      'a mask that does not fit',
      [q, k, v, bools([1, 1, 1], [3])],
      /expected a shape whose sizes, aligned at the last axis, are equal or 1/,
    ],
    ['a window of -2', [q, k, v], /left_window_size -2/, attributes({ left_window_size: -2 })],
  ]);
});

describe('RotaryEmbedding', () => {
  const x = floats([1, 2, 3, 4], [1, 1, 1, 4]);
  // The angles are a quarter turn and 0.
  const [cos, sin] = [floats([0, 1], [1, 1, 2]), floats([1, 0], [1, 1, 2])];
  nodeCases('RotaryEmbedding', {}, [
    ['halves', [x, cos, sin], [floats([-3, 2, 1, 4], [1, 1, 1, 4])]],
    ['neighbours', [x, cos, sin], [floats([-2, 1, 3, 4], [1, 1, 1, 4])], attributes({ interleaved: 1 })],
    [
      'the first numbers of a head',
      [x, floats([0], [1, 1, 1]), floats([1], [1, 1, 1])],
      [floats([-2, 1, 3, 4], [1, 1, 1, 4])],
      attributes({ rotary_embedding_dim: 2 }),
    ],
    [
      'positions',
      [floats([1, 2, 3, 4], [1, 1, 2, 2]), floats([1, 0], [2, 1]), floats([0, 1], [2, 1]), ints([1, 0], [1, 2])],
      [floats([-2, 1, 3, 4], [1, 1, 2, 2])],
    ],
    [
      'three axes',
      [floats([1, 2, 3, 4], [1, 1, 4]), floats([0], [1, 1, 1]), floats([1], [1, 1, 1])],
      [floats([-2, 1, -4, 3], [1, 1, 4])],
      attributes({ num_heads: 2 }),
    ],
    [
      'a position beyond the table',
      [floats([1, 2], [1, 1, 1, 2]), floats([1], [1, 1]), floats([0], [1, 1]), ints([1], [1, 1])],
      /index 1 of 1 entries/,
    ],
    ['tables of another size', [x, floats([1], [1, 1, 1]), sin], /tables \[1, 1, 1\] and \[1, 1, 2\]/],
    [
      'an odd number',
      [x, cos, sin],
      /expected an even number, at most the numbers per head/,
      attributes({ rotary_embedding_dim: 3 }),
    ],
  ]);
});
