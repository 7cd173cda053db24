import { floats, ints, nodeCases, tensor } from '../../test/one-node.js';

const training = { domain: 'ai.onnx.preview.training', opset: 1 } as const;
const doubles = (...values: number[]) => tensor('float64', values);
const count = (value: number) => ints([value], []);
const rate = tensor('float64', [0.5], []);

nodeCases('Adagrad', { ...training, outputs: 2 }, [
  ['squares add up', [rate, count(0), doubles(1, 2), doubles(3, 0), doubles(16, 4)], [doubles(0.7, 2), doubles(25, 4)]],
  [
    'regularized, slowed, and kept from dividing by zero',
    [rate, count(1), doubles(2), doubles(2), doubles(0)],
    [doubles(1.8), doubles(9)],
    { attributes: { norm_coefficient: 0.5, decay_factor: 1, epsilon: 0.75 } },
  ],
  [
    'several tensors of shapes of their own',
    [rate, count(0), doubles(1), doubles(1, 1), doubles(1), doubles(2, 2), doubles(0), doubles(0, 0)],
    [doubles(0.5), doubles(0.5, 0.5), doubles(1), doubles(4, 4)],
    { outputs: 4 },
  ],
  ['a tensor without a gradient', [rate, count(0), doubles(1), doubles(1)], /4 inputs/],
  ['nothing to optimize', [rate, count(0)], /2 inputs/],
  [
    'a gradient of another shape',
    [rate, count(0), doubles(1), doubles(1, 2), doubles(1)],
    /float64\[2\] beside float64\[1\]/,
  ],
  ['a gradient of another type', [rate, count(0), doubles(1), floats([1]), doubles(1)], /float32\[1\] beside/],
  ['a count of half', [rate, rate, doubles(1), doubles(1), doubles(1)], /input 1 of type float64/],
]);

const betas = { alpha: 0.5, beta: 0.75 };
nodeCases('Adam', { ...training, outputs: 3, attributes: betas }, [
  [
    'the first update takes the rate as it is',
    [rate, count(0), doubles(1), doubles(2), doubles(0), doubles(0)],
    [doubles(0.5), doubles(1), doubles(1)],
  ],
  [
    'later ones correct for the beginning',
    [rate, count(1), doubles(1), doubles(2), doubles(0), doubles(0)],
    [doubles(0.5), doubles(1), doubles(1)],
  ],
  [
    'regularized before and after',
    [rate, count(0), doubles(2), doubles(1), doubles(0), doubles(0)],
    [doubles(0.75), doubles(1), doubles(1)],
    { attributes: { ...betas, norm_coefficient: 0.5, norm_coefficient_post: 0.5 } },
  ],
]);

const nesterov = { alpha: 0.5, beta: 0.25, norm_coefficient: 0, mode: 'nesterov' };
const standard = { ...nesterov, mode: 'standard' };
const given = (updates: number) => [rate, count(updates), doubles(1), doubles(4), doubles(2)];
nodeCases('Momentum', { ...training, outputs: 2 }, [
  ['the first update takes the whole gradient', given(0), [doubles(-1.5), doubles(5)], { attributes: standard }],
  ['later ones a part of it', given(1), [doubles(0), doubles(2)], { attributes: standard }],
  ['looking ahead', given(1), [doubles(-1.5), doubles(2)], { attributes: nesterov }],
  ['another mode', given(1), /standard, nesterov/, { attributes: { ...standard, mode: 'heavy' } }],
  [
    'no coefficient',
    given(1),
    /no attribute 'alpha'/,
    { attributes: { beta: 1, norm_coefficient: 0, mode: 'standard' } },
  ],
]);
