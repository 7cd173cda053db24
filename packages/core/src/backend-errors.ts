import { BrezelError, thrower } from './errors.js';

/** A backend that is missing, that refuses a model, or that failed while it ran. Thrown by every backend, ours or a user's. */
export class BackendError extends BrezelError {}

/** Codes of backends: what they mean, and what to do next. */
export const backendErrors = {
  ERR_BACKEND_MISSING: {
    message: 'no backend that can do this',
    hint: 'install onnxruntime-node (npm install onnxruntime-node), register its backend, and see `brezel doctor`',
  },
  ERR_BACKEND_PROVIDER: {
    message: 'no provider that was asked for works here',
    hint: '`brezel doctor` tells which providers load, and why the others do not',
  },
  ERR_BACKEND_MODEL: {
    message: 'the backend cannot open the model',
    hint: 'check the file with the tool that wrote it; the cause is what the backend says',
  },
  ERR_BACKEND_INPUT: {
    message: 'the tensors are not the inputs of the stage',
    hint: 'stage.inputs lists names, element types and shapes',
  },
  ERR_BACKEND_RUN: { message: 'the backend failed while it ran the model', hint: 'the cause is what the backend says' },
  ERR_BACKEND_LOST: {
    message: 'the worker thread that ran the model died',
    hint: 'a new one takes its place: try the request again; if it dies again, the model asks for too much memory',
  },
  ERR_BACKEND_CLOSED: { message: 'the backend or the stage is closed', hint: 'open the model again' },
  ERR_BACKEND_OPTION: { message: 'an option is out of range', hint: 'the documentation of the option tells its range' },
} as const;

export const backendError = thrower(BackendError, backendErrors);
