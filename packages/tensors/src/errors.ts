import { BrezelError, thrower } from '@brezel/core';

/** Thrown for an invalid tensor program, or for invalid tensors of a request. */
export class TensorError extends BrezelError {}

export const tensorErrors = {
  ERR_FLOUR_TENSOR: {
    statusCode: 400,
    message: 'an operator of a tensor program rejected its inputs',
    hint: 'compare the shapes and element types of the inputs with the exported model',
  },
  ERR_FLOUR_BLACK_BOX: {
    message: 'a black box runs asynchronously only',
    hint: 'register the program with a runtime that has a backend, and call predictTensors',
  },
  ERR_FLOUR_LIMIT: {
    statusCode: 413,
    message: 'a request exceeds its limits',
    hint: 'split the request, or increase the limit when you register the program',
  },
} as const;

export const tensorError = thrower(TensorError, tensorErrors);
