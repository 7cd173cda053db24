import { BrezelError, thrower } from '@brezel/core';

/**
 * An error of the worker thread that imports models, for example when it runs out of memory. Errors
 * about the model itself have the classes of the importers.
 */
export class ImportError extends BrezelError {}

export const importErrors = {
  ERR_IMPORT_THREAD: {
    message: 'the worker thread that imported the model was lost',
    hint: 'the model probably needs more memory than the thread may use: see `cause`, increase importHeapBytes, or pack the model with `brezel pack` on a larger machine',
  },
  ERR_IMPORT_OPTION: {
    message: 'an option cannot be used on a worker thread',
    hint: 'functions stay on their thread: use importOnnx or importModel, or create the registry with importThreads: 0',
  },
  ERR_IMPORT_CLOSED: {
    message: 'the registry was closed during the import',
    statusCode: 503,
    hint: 'create a new registry',
  },
} as const;

export const importError = thrower(ImportError, importErrors);
