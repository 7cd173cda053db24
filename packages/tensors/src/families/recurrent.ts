import { flagAttribute } from '../attributes.js';
import { tensorOperators } from '../define.js';
import { gruCell, lstmCell, rnnCell } from '../recurrent/cells.js';
import { runLayer } from '../recurrent/layer.js';

/** The operators that run recurrent layers. */
export const recurrents = tensorOperators(
  {
    domain: '',
    operator: 'RNN',
    versions: [1, 25],
    run: (call) => runLayer(call, { gates: 1, activations: ['Tanh'], cell: rnnCell }),
  },
  {
    domain: '',
    operator: 'GRU',
    versions: [1, 25],
    run: (call) =>
      runLayer(call, {
        gates: 3,
        activations: ['Sigmoid', 'Tanh'],
        cell: gruCell(flagAttribute(call, 'linear_before_reset', false)),
      }),
  },
  {
    domain: '',
    operator: 'LSTM',
    versions: [1, 25],
    run: (call) =>
      runLayer(call, {
        gates: 4,
        activations: ['Sigmoid', 'Tanh', 'Tanh'],
        hasCells: true,
        cell: lstmCell(flagAttribute(call, 'input_forget', false)),
      }),
  },
);
