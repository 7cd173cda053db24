import { flagAttribute } from '../attributes.js';
import { tensorOperators } from '../define.js';
import { interruptible } from '../pauses.js';
import { gruCell, lstmCell, rnnCell } from '../recurrent/cells.js';
import { layerSteps } from '../recurrent/layer.js';

/** The operators that run recurrent layers. */
export const recurrents = tensorOperators(
  interruptible({
    domain: '',
    operator: 'RNN',
    versions: [1, 25],
    steps: (call) => layerSteps(call, { gates: 1, activations: ['Tanh'], cell: rnnCell }),
  }),
  interruptible({
    domain: '',
    operator: 'GRU',
    versions: [1, 25],
    steps: (call) =>
      layerSteps(call, {
        gates: 3,
        activations: ['Sigmoid', 'Tanh'],
        cell: gruCell(flagAttribute(call, 'linear_before_reset', false)),
      }),
  }),
  interruptible({
    domain: '',
    operator: 'LSTM',
    versions: [1, 25],
    steps: (call) =>
      layerSteps(call, {
        gates: 4,
        activations: ['Sigmoid', 'Tanh', 'Tanh'],
        hasCells: true,
        cell: lstmCell(flagAttribute(call, 'input_forget', false)),
      }),
  }),
);
