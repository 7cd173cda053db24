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
  ERR_STORE_FILE: {
    message: 'a fleet file cannot be read or written',
    hint: 'check the path and its permissions',
  },
  ERR_STORE_FORMAT: {
    message: 'not a fleet file, or one that does not hold together',
    hint: 'fleet files are written by packFleet or `brezel pack`: pack the models again',
  },
  ERR_STORE_VERSION: {
    message: 'a fleet file of another version',
    hint: 'use a newer Brezel, or pack the models again with this one',
  },
  ERR_STORE_DAMAGED: {
    message: 'a fleet file is damaged',
    hint: 'its bytes are not those that were written: copy it again, or pack the models again',
  },
  ERR_STORE_CLOSED: {
    message: 'the fleet is closed',
    hint: 'take the plans you need before you close it; they stay usable',
  },
} as const;

export const storeError = thrower(StoreError, storeErrors);
