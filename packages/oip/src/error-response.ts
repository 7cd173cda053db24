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
 * Public messages for errors whose own messages can contain paths of the server or internal causes.
 * The log of the server contains the whole error.
 */
const PRIVATE: Readonly<Record<string, string>> = {
  ERR_REGISTRY_LOAD: 'the model cannot be loaded',
  ERR_SELECTION_STATE: 'the state of the selection cannot be read or written',
};
const SEE_LOG = 'the log of the server has the reason';

/** Returns the response for an error of Brezel. */
export function responseOfBrezelError({ code, statusCode: status, message, hint }: BrezelError): ErrorResponse {
  if (PRIVATE[code] !== undefined) return { status, code, message: PRIVATE[code], hint: SEE_LOG };
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

/** Returns whether a prediction threw the error because its request was canceled. */
export const isCanceled = (error: unknown): boolean => (error as Error | undefined)?.name === 'AbortError';
