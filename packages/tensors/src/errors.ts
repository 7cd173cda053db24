import { BrezelError, thrower } from '@brezel/core';

/** Raised for tensor programs: for a program that does not fit together, or for the tensors of a request. */
export class TensorError extends BrezelError {}

export const tensorErrors = {
  ERR_FLOUR_TENSOR: {
    message: 'an operator of a tensor program cannot take its inputs',
    hint: 'compare shapes and element types of the inputs with those that the model was exported for',
  },
  ERR_FLOUR_BLACK_BOX: {
    message: 'a part that another runtime runs is answered asynchronously only',
    hint: 'register the program with a runtime that has a backend, and use predictTensors',
  },
  ERR_FLOUR_LIMIT: {
    message: 'a request does more than it may',
    hint: 'send less at once, or raise the limit when you register the program',
  },
} as const;

export const tensorError = thrower(TensorError, tensorErrors);
