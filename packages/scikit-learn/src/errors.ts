import { BrezelError, type ErrorTable, thrower } from '@brezel/core';

/**
 * Thrown by `importScikitLearn`. The file is damaged, exceeds a limit or has an unknown kind of
 * node, or an option of the import is invalid.
 */
export class ScikitLearnError extends BrezelError {}

/** The message and hint of each error code of `importScikitLearn`. */
export const scikitLearnErrors = {
  ERR_SKLEARN_FORMAT: {
    message: 'not a valid file of brezel_export.py',
    hint: 'export the model again: export(pipeline, sample, "model.json") of tools/python/brezel_export.py',
  },
  ERR_SKLEARN_LIMIT: {
    message: 'the model exceeds a limit',
    hint: 'if you trust the file, increase the limit that the error names',
  },
  ERR_SKLEARN_VERSION: {
    message: 'the file has another version than this importer reads',
    hint: 'export the model with the brezel_export.py of your version of Brezel, or update Brezel',
  },
  ERR_SKLEARN_OPTION: {
    message: 'invalid option',
    hint: 'use a value that the documentation of the option allows',
  },
} as const satisfies ErrorTable;

/** Creates a `ScikitLearnError` with a code of `scikitLearnErrors`. */
export const scikitLearnError = thrower(ScikitLearnError, scikitLearnErrors);

/** Returns the error for a damaged file. */
export const damaged = (at: string, expected: string, received: string) =>
  scikitLearnError('ERR_SKLEARN_FORMAT', { expected, received, at });
