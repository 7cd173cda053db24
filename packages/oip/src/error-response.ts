import type { BrezelError } from 'brezel';

/** The parts of an error response, in any protocol. */
export interface ErrorResponse {
  /** The HTTP status. */
  readonly status: number;
  readonly code: string;
  readonly message: string;
  readonly hint?: string;
}

/**
 * Public messages for errors whose own messages can contain paths and addresses of the server, or
 * messages of other programs. The log of the server contains the whole error.
 */
const PRIVATE: Readonly<Record<string, string>> = {
  ERR_REGISTRY_LOAD: 'the model cannot be loaded',
  ERR_REGISTRY_BUDGET: 'the server has too little memory for the model',
  ERR_RUNTIME_WORKER: 'a worker ended while it ran the model',
  ERR_SELECTION_STATE: 'the state of the selection cannot be read or written',
  ERR_EXTERNAL_REPLICA: 'the server of the model rejected the request',
  ERR_EXTERNAL_LOST: 'the connection to the server of the model failed',
  ERR_EXTERNAL_PROCESS: 'the process of the model ended',
  ERR_EXTERNAL_ANSWER: 'the server of the model sent an invalid answer',
  ERR_EXTERNAL_TIMEOUT: 'the server of the model did not answer in time',
  ERR_EXTERNAL_UNAVAILABLE: 'no server of the model is available',
  ERR_NATS_CONNECTION: 'the server has no connection to the servers of the model',
  ERR_NATS_STORE: 'the store of the models cannot be used',
};
const SEE_LOG = 'the log of the server has the reason';

/** Returns the response for an error of Brezel. */
export function responseOfBrezelError({ code, statusCode: status, message, hint }: BrezelError): ErrorResponse {
  if (Object.hasOwn(PRIVATE, code)) return { status, code, message: PRIVATE[code]!, hint: SEE_LOG };
  if (status === 500) return internalError(code);
  return { status, code, message, hint };
}

/** Returns whether a response hides the reason of an error, so that a server must log the error. */
export const isHidden = ({ hint }: Pick<ErrorResponse, 'hint'>): boolean => hint === SEE_LOG;

/** Returns the response for an error that is not the fault of the client. */
export const internalError = (code = 'ERR_INTERNAL'): ErrorResponse => ({
  status: 500,
  code,
  message: 'the server failed',
  hint: SEE_LOG,
});

/**
 * The response after the client has disconnected. No client receives it; the status appears in logs
 * and metrics.
 */
export const canceled: ErrorResponse = { status: 499, code: 'ABORT_ERR', message: 'the client disconnected' };

/** The reason of the signal of a request whose client has disconnected or canceled the request. */
export class RequestCanceled extends DOMException {
  constructor() {
    super(canceled.message, 'AbortError');
  }
}

/**
 * Returns whether an error occurred because the client canceled its request. An AbortError with
 * another reason is an error of the server.
 */
export const isCanceled = (error: unknown): boolean =>
  error instanceof RequestCanceled || (error instanceof Error && error.cause instanceof RequestCanceled);
