import { type BackendError, backendError } from '@brezel/core';

/** Returns the error for an invalid model file. The caller adds the name of the model. */
export const modelError = (expected: string, received: string, at?: string, cause?: unknown): BackendError =>
  backendError('ERR_BACKEND_MODEL', {
    expected,
    received,
    ...(at === undefined ? {} : { at }),
    hint: 'export the model again; model.json and the weight files must be in one folder',
    cause,
  });
