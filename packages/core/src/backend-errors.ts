import { BrezelError, thrower } from './errors.js';

/**
 * The class of the errors of all backends, including backends of users: a backend is missing,
 * rejects a model, or fails during a run.
 */
export class BackendError extends BrezelError {}

/** The message and hint of each backend error code. */
export const backendErrors = {
  ERR_BACKEND_MISSING: {
    message: 'no backend can run this model',
    hint: 'install onnxruntime-node (npm install onnxruntime-node), register its backend, and see `brezel doctor`',
  },
  ERR_BACKEND_PROVIDER: {
    message: 'none of the requested providers works on this machine',
    hint: 'run `brezel doctor` to see which providers load, and why the others fail',
  },
  ERR_BACKEND_MODEL: {
    message: 'the backend cannot open the model',
    hint: 'see `cause` for the message of the backend; check the file with the tool that wrote it',
  },
  ERR_BACKEND_INPUT: {
    message: 'the tensors do not match the inputs of the stage',
    hint: 'stage.inputs lists names, element types and shapes',
  },
  ERR_BACKEND_RUN: {
    message: 'the backend failed while it ran the model',
    hint: 'see `cause` for the message of the backend',
  },
  ERR_BACKEND_LOST: {
    message: 'the worker thread that ran the model died',
    hint: 'retry the request: a new worker thread starts; if it dies again, the model needs too much memory',
  },
  ERR_BACKEND_CLOSED: { message: 'the backend or the stage is closed', hint: 'open the model again' },
  ERR_BACKEND_OPTION: {
    message: 'an option is out of range',
    hint: 'see the range in the documentation of the option',
  },
} as const;

/** Creates a `BackendError` with a code of `backendErrors`. */
export const backendError = thrower(BackendError, backendErrors);
