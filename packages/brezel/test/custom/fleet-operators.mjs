// Custom operators in a separate module. Every thread and process that runs plans with them imports
// this module.
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
