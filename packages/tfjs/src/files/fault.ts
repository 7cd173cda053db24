import { type BackendError, backendError } from '@brezel/core';

/** A model file that is refused; the caller adds which model it is. */
export const modelFault = (expected: string, received: string, at?: string, cause?: unknown): BackendError =>
  backendError('ERR_BACKEND_MODEL', {
    expected,
    received,
    ...(at === undefined ? {} : { at }),
    hint: 'write the model again with the tool that made it: model.json and the weight files belong together in one folder',
    cause,
  });
