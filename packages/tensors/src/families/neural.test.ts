import { floats, ints, nodeCases, tensor } from '../../test/one-node.js';

const line = floats([1, 2, 3, 4], [1, 1, 4]);
const none = Number.NaN;

nodeCases('Conv', {}, [
  ['a line', [line, floats([1, 10], [1, 1, 2])], [floats([21, 32, 43], [1, 1, 3])]],
  [
    'a bias an output',
    [line, floats([1, 2], [2, 1, 1]), floats([10, 20])],
    [floats([11, 12, 13, 14, 22, 24, 26, 28], [1, 2, 4])],
  ],
  [
    'padding, strides, dilations',
    [line, floats([1, 10], [1, 1, 2])],
    [floats([20, 42], [1, 1, 2])],
    { attributes: { pads: [1, 1], strides: [2], dilations: [2] } },
  ],
  [
    'groups',
    [floats([1, 2, 3, 4], [1, 2, 2]), floats([10, 100], [2, 1, 1])],
    [floats([10, 20, 300, 400], [1, 2, 2])],
    { attributes: { group: 2 } },
  ],
  ['no batch', [floats([], [0, 1, 4]), floats([1], [1, 1, 1])], [floats([], [0, 1, 4])]],
  [
    'float64 in order',
    [tensor('float64', [0.1, 0.2, 0.3], [1, 1, 3]), tensor('float64', [1, 1, 1], [1, 1, 3])],
    [tensor('float64', [0.1 + 0.2 + 0.3], [1, 1, 1])],
  ],
  ['channels that do not fit', [line, floats([1, 2], [1, 2, 1])], /weights \[1, 2, 1\]/],
  ['a bias that does not fit', [line, floats([1], [1, 1, 1]), floats([1, 2])], /bias \[2\]/],
  [
    'a kernel beyond the line',
    [line, floats([1, 1, 1, 1, 1], [1, 1, 5])],
    /expected a kernel that fits into the padded input/,
  ],
  [
    'another kernel_shape than the weights',
    [line, floats([1], [1, 1, 1])],
    /weights/,
    { attributes: { kernel_shape: [2] } },
  ],
  ['a stride of 0', [line, floats([1], [1, 1, 1])], /1 or greater/, { attributes: { strides: [0] } }],
  ['no spatial axes', [floats([1], [1, 1]), floats([1], [1, 1])], /spatial axes/],
  ['huge pads', [line, floats([1], [1, 1, 1])], /budget|memory can hold/, { attributes: { pads: [2 ** 50, 2 ** 50] } }],
]);

const two = { kernel_shape: [2] };
nodeCases('MaxPool', { outputs: 2, attributes: two }, [
  [
    'values and their places',
    [floats([1, 3, 2, 9, 8, 7], [1, 2, 3])],
    [floats([3, 3, 9, 8], [1, 2, 2]), ints([1, 1, 3, 4], [1, 2, 2])],
  ],
  [
    'a NaN stays in its windows',
    [floats([1, none, 2, 3], [1, 1, 4])],
    [floats([none, none, 3], [1, 1, 3]), ints([1, 1, 3], [1, 1, 3])],
  ],
  [
    'a NaN of the channel before',
    [floats([1, none, 2, 3], [1, 2, 2])],
    [floats([none, 3], [1, 2, 1]), ints([1, 3], [1, 2, 1])],
  ],
  [
    'the last window cut short',
    [floats([1, 2, 3], [1, 1, 3])],
    [floats([2, 3], [1, 1, 2])],
    { attributes: { ...two, strides: [2], ceil_mode: 1 } },
  ],
  [
    'only 1 is a ceil_mode',
    [floats([1, 2, 3], [1, 1, 3])],
    [floats([2], [1, 1, 1])],
    { attributes: { ...two, strides: [2], ceil_mode: 2 } },
  ],
  [
    'column-major places',
    [floats([1, 2, 3, 4, 5, 6], [1, 1, 2, 3])],
    [floats([5, 6], [1, 1, 1, 2]), ints([3, 5], [1, 1, 1, 2])],
    { attributes: { kernel_shape: [2, 2], storage_order: 1 } },
  ],
  [
    'a window of padding',
    [line],
    /expected at least one input element in each window/,
    { attributes: { ...two, pads: [2, 0] } },
  ],
  [
    'a kernel of another rank',
    [line],
    /expected one number per spatial axis, each 1 or greater/,
    { attributes: { kernel_shape: [1, 1] } },
  ],
  ['no kernel', [line], /no attribute 'kernel_shape'/, { attributes: {} }],
  [
    'a huge kernel over huge pads',
    [line],
    /budget|memory can hold/,
    { attributes: { kernel_shape: [2 ** 40], pads: [2 ** 40, 2 ** 40] } },
  ],
]);

nodeCases('AveragePool', { attributes: { ...two, pads: [1, 0] } }, [
  ['without the padding', [line], [floats([1, 1.5, 2.5, 3.5], [1, 1, 4])]],
  [
    'with the padding',
    [line],
    [floats([0.5, 1.5, 2.5, 3.5], [1, 1, 4])],
    { attributes: { ...two, pads: [1, 0], count_include_pad: 1 } },
  ],
]);

nodeCases('GlobalAveragePool', {}, [
  ['each channel', [floats([1, 2, 3, 6], [1, 2, 2])], [floats([1.5, 4.5], [1, 2, 1])]],
  ['float16 is rounded', [tensor('float16', [2048, 2050, 2050], [1, 1, 3])], [tensor('float16', [2050], [1, 1, 1])]],
]);

nodeCases('GlobalMaxPool', {}, [
  ['each channel', [floats([1, 2, -3, -6], [1, 2, 1, 2])], [floats([2, -3], [1, 2, 1, 1])]],
  ['a NaN', [floats([none, 1], [1, 1, 2])], [floats([none], [1, 1, 1])]],
  ['a matrix', [floats([1], [1, 1])], /spatial axes/],
]);
