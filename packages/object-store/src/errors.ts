import { BrezelError, thrower } from '@brezel/core';

/** An error in parameters or in a fleet file. The caller can fix it. */
export class StoreError extends BrezelError {}

export const storeErrors = {
  ERR_STORE_MISSING: {
    message: 'the parameter is not in the store',
    hint: 'it was released, or it belongs to another store: hold the program or plan that owns it while you use it',
  },
  ERR_STORE_CHECKSUM: {
    message: 'two different parameters have the same checksum',
    hint: 'check the source of the bytes: this does not happen by accident',
  },
  ERR_STORE_VALUE: {
    message: 'a parameter does not match its shape',
    hint: 'the product of the shape must equal the number of elements',
  },
  ERR_STORE_DICTIONARY: {
    message: 'a dictionary cannot be built or read',
    hint: 'check the vocabulary: its sizes, its columns, and that each word is shorter than 16 MiB',
  },
  ERR_STORE_FILE: {
    message: 'a fleet file cannot be read or written',
    hint: 'check the path and its permissions',
  },
  ERR_STORE_FORMAT: {
    message: 'not a fleet file, or an inconsistent one',
    hint: 'fleet files are written by packFleet or `brezel pack`: pack the models again',
  },
  ERR_STORE_VERSION: {
    message: 'unsupported version of a fleet file',
    hint: 'use a newer Brezel, or pack the models again with this version',
  },
  ERR_STORE_DAMAGED: {
    message: 'a fleet file is damaged',
    hint: 'its bytes changed after it was written: copy it again, or pack the models again',
  },
  ERR_STORE_CLOSED: {
    message: 'the fleet is closed',
    hint: 'take the plans you need before you close it; they stay usable',
  },
} as const;

export const storeError = thrower(StoreError, storeErrors);
