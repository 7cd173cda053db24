import { BrezelError, type ErrorTable, thrower } from '@brezel/core';

/**
 * Thrown by `importPmml`. The file is damaged, exceeds a limit or uses an unsupported element, or
 * an option of the import is invalid.
 */
export class PmmlError extends BrezelError {}

/** The message and hint of each error code of `importPmml`. */
export const pmmlErrors = {
  ERR_PMML_FORMAT: {
    message: 'not a valid PMML file',
    hint: 'export the model again, and check it against the schema of its PMML version',
  },
  ERR_PMML_LIMIT: {
    message: 'the model exceeds a limit',
    hint: 'if you trust the file, increase the limit that the error names',
  },
  ERR_PMML_UNSUPPORTED: {
    message: 'the importer does not support this part of the model',
    hint: 'docs/pmml.md lists the supported elements; export the model as ONNX instead',
  },
  ERR_PMML_OPTION: {
    message: 'invalid option',
    hint: 'use a value that the documentation of the option allows',
  },
} as const satisfies ErrorTable;

/** Creates a `PmmlError` with a code of `pmmlErrors`. */
export const pmmlError = thrower(PmmlError, pmmlErrors);

/** Returns the error for a damaged file. */
export const damaged = (at: string, expected: string, received: string) =>
  pmmlError('ERR_PMML_FORMAT', { expected, received: received.slice(0, 80), at });

/** Returns the error for a part of PMML that the importer does not support. */
export const unsupported = (at: string, received: string) =>
  pmmlError('ERR_PMML_UNSUPPORTED', { expected: 'a supported element', received: received.slice(0, 80), at });
