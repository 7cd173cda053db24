// Operators of a team, in a module of their own: every thread and process that runs plans with them
// imports it.
import { defineOperator } from 'brezel';

export const punctuation = defineOperator({
  name: 'test-fleet/punctuation',
  version: 2,
  inputs: ['text'],
  output: 'float32[2]',
  attributes: { marks: '!?' },
  parameters: { weights: 'float32' },
  run: (text, { attributes, parameters }) =>
    [...attributes.marks].map((mark, at) => (text.split(mark).length - 1) * parameters.weights[at]),
});
