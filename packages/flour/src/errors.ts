import { BrezelError, thrower } from '@brezel/core';

/** Thrown for errors that the author of a program can fix. */
export class FlourError extends BrezelError {}

/** The message and hint of each error code of Flour. */
export const flourErrors = {
  ERR_FLOUR_TYPE: {
    message: 'an operator received a value of the wrong type',
    hint: 'featurize the input first: text.tokenize().wordNgram(...) converts text to a vector',
  },
  ERR_FLOUR_SIZE: {
    message: 'sizes do not match',
    hint: 'compare the size of the vector with the shapes of the parameters',
  },
  ERR_FLOUR_PARAM: {
    message: 'a parameter is invalid',
    hint: 'see docs/operators.md for the valid parameters of the operator',
  },
  ERR_FLOUR_WEIGHT: {
    message: 'a learned parameter holds NaN or an invalid infinity',
    hint: "check the training of the model. To accept the parameters unchanged, pass nonFinite: 'allow' to importOnnx or flour.attempt",
  },
  ERR_FLOUR_GRAPH: { message: 'the program is malformed', hint: 'derive every output from an input' },
  ERR_FLOUR_NAME: {
    message: 'a name is missing or already in use',
    hint: 'give inputs, columns and outputs distinct names',
  },
  ERR_FLOUR_COMPILER: {
    message: 'this FlourContext has no compiler',
    hint: "create it with createFlour() from 'brezel', or pass { compiler }",
  },
} as const;

/** Creates a `FlourError` with one of the codes of `flourErrors`. */
export const flourError = thrower(FlourError, flourErrors);
