import { BrezelError } from 'brezel';

/**
 * The class of this package's errors. The caller can fix the cause in the options of the predictor,
 * or on the server of the model.
 */
export class ExternalError extends BrezelError {}

/** The message and hint of each error code of this package. */
export const externalErrors = {
  ERR_EXTERNAL_OPTION: {
    message: 'invalid option of an external predictor',
    hint: 'see the documentation of externalPredictor',
  },
  ERR_EXTERNAL_MODEL: {
    message: 'the metadata of the model does not describe rows that Brezel supports',
    hint: 'the first axis of each tensor must be -1 (the rows); pass inputs and outputs to declare the tensors yourself',
  },
  ERR_EXTERNAL_REPLICA: {
    statusCode: 502,
    message: 'the replica rejected the request',
    hint: 'see `received` for the message of the server, and the log of the server',
  },
  ERR_EXTERNAL_REQUEST: {
    statusCode: 413,
    message: 'the rows are too large for one request',
    hint: 'decrease maxBatch, or send shorter texts',
  },
  ERR_EXTERNAL_LOST: {
    statusCode: 502,
    message: 'the connection to the replica failed during a request',
    hint: 'retry the request; a probe decides when this replica is used again',
  },
  ERR_EXTERNAL_PROCESS: {
    statusCode: 502,
    message: 'the process of the replica ended',
    hint: 'see `received` for the last lines of its standard error; the process is started again',
  },
  ERR_EXTERNAL_ANSWER: {
    statusCode: 502,
    message: 'the replica sent an invalid answer',
    hint: 'the answer must contain each requested output once, with the datatype and shape of the metadata and one row for each row of the request',
  },
  ERR_EXTERNAL_TIMEOUT: {
    statusCode: 504,
    message: 'the replica did not answer within timeoutMs',
    hint: 'increase timeoutMs, decrease maxBatch, or add replicas',
  },
  ERR_EXTERNAL_UNAVAILABLE: {
    statusCode: 503,
    message: 'no replica is available',
    hint: 'start the server, or wait until a probe of a replica succeeds; `cause` has the last error',
  },
  ERR_EXTERNAL_OVERLOADED: {
    statusCode: 503,
    message: 'too many requests wait for a replica',
    hint: 'add replicas, increase concurrency or maxWaiting, or send fewer requests',
  },
  ERR_EXTERNAL_CLOSED: {
    statusCode: 503,
    message: 'the predictor is closed',
    hint: 'create a new predictor',
  },
} as const;

/** Creates an `ExternalError` with a code of this package. */
export const externalError = (
  code: keyof typeof externalErrors,
  details: ConstructorParameters<typeof BrezelError>[2] = {},
): ExternalError => new ExternalError(code, externalErrors[code], details);
