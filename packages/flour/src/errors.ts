import { BrezelError, thrower } from '@brezel/core';

/** Whose turn: the program. */
export class FlourError extends BrezelError {}

export const flourErrors = {
  ERR_FLOUR_TYPE: {
    message: 'an operator got a value of the wrong type',
    hint: 'featurize the input first: text.tokenize().wordNgram(...) turns text into a vector',
  },
  ERR_FLOUR_SIZE: {
    message: 'sizes do not fit together',
    hint: 'compare the size of the vector with the shape of the parameters',
  },
  ERR_FLOUR_PARAM: { message: 'a parameter is not usable', hint: 'see the operator for what it takes' },
  ERR_FLOUR_WEIGHT: {
    message: 'a learned parameter holds a number that means nothing',
    hint: "training went wrong: look at the model where it was trained. nonFinite: 'allow' takes the parameters as they are, for importOnnx and flour.attempt alike",
  },
  ERR_FLOUR_GRAPH: { message: 'the program is not well formed', hint: 'every output must come from an input' },
  ERR_FLOUR_NAME: { message: 'a name is missing or taken', hint: 'inputs, columns and outputs need distinct names' },
  ERR_FLOUR_COMPILER: {
    message: 'this FlourContext has no compiler',
    hint: "create it with createFlour() from 'brezel', or pass { compiler }",
  },
} as const;

export const flourError = thrower(FlourError, flourErrors);
