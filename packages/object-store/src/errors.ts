import { BrezelError, thrower } from '@brezel/core';

/** Whose turn: parameters. */
export class StoreError extends BrezelError {}

export const storeErrors = {
  ERR_STORE_MISSING: {
    message: 'no such parameter',
    hint: 'it was released, or belongs to another store: keep the program or plan that owns it until you are done',
  },
  ERR_STORE_CHECKSUM: {
    message: 'two different parameters have one checksum',
    hint: 'this does not happen by accident: check where the bytes come from',
  },
  ERR_STORE_VALUE: {
    message: 'a parameter does not fit its shape',
    hint: 'the product of the shape must equal the number of elements',
  },
  ERR_STORE_DICTIONARY: {
    message: 'a dictionary cannot be built or read',
    hint: 'check the vocabulary: sizes, columns, and words of less than 16 MiB',
  },
} as const;

export const storeError = thrower(StoreError, storeErrors);
