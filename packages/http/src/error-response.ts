import { BrezelError } from 'brezel';
import { httpError } from './errors.js';

/**
 * The body of every error response. The Open Inference Protocol defines the field `error`; the
 * other fields are Brezel's.
 */
export interface ErrorBody {
  readonly error: string;
  readonly code: string;
  readonly hint?: string;
}

export interface ErrorResponse {
  readonly status: number;
  readonly body: ErrorBody;
}

/**
 * Codes of fastify errors that a client causes, each with the code of this package for the same
 * error.
 */
const FASTIFY: Readonly<Record<string, Parameters<typeof httpError>[0]>> = {
  FST_ERR_CTP_BODY_TOO_LARGE: 'ERR_HTTP_BODY',
  FST_ERR_CTP_INVALID_MEDIA_TYPE: 'ERR_HTTP_TYPE',
  FST_ERR_CTP_EMPTY_TYPE: 'ERR_HTTP_TYPE',
  FST_ERR_CTP_INVALID_CONTENT_LENGTH: 'ERR_HTTP_REQUEST',
  FST_ERR_CTP_EMPTY_JSON_BODY: 'ERR_HTTP_JSON',
  FST_ERR_CTP_INVALID_JSON_BODY: 'ERR_HTTP_JSON',
};

/**
 * Public messages for errors whose own messages can contain paths of the server or internal causes.
 * The log of the server contains the whole error.
 */
const PRIVATE: Readonly<Record<string, string>> = {
  ERR_REGISTRY_LOAD: 'the model cannot be loaded',
};

/** Returns the status and the body of the response for any error. */
export function responseOf(error: unknown): ErrorResponse {
  if (error instanceof BrezelError) return ofBrezel(error);
  const { code, statusCode, message } = (error ?? {}) as { code?: string; statusCode?: number; message?: string };
  if ((error as Error | undefined)?.name === 'AbortError') return CANCELED;
  const known = FASTIFY[code ?? ''];
  if (known !== undefined) return ofBrezel(httpError(known, { cause: error }));
  // fastify and Node set a status below 500 if the client caused the error.
  if (statusCode !== undefined && statusCode >= 400 && statusCode < 500)
    return { status: statusCode, body: { error: message ?? 'invalid request', code: code ?? 'ERR_HTTP_REQUEST' } };
  if (statusCode === 503)
    return { status: 503, body: { error: 'the server is closing', code: code ?? 'ERR_HTTP_BUSY' } };
  return internal('ERR_INTERNAL');
}

function ofBrezel({ code, statusCode, message, hint }: BrezelError): ErrorResponse {
  if (PRIVATE[code] !== undefined) return { status: statusCode, body: { error: PRIVATE[code], code, hint: SEE_LOG } };
  if (statusCode === 500) return internal(code);
  return { status: statusCode, body: { error: message, code, hint } };
}

/**
 * The response after the client has disconnected. No client receives it; the status appears in logs
 * and metrics.
 */
const CANCELED: ErrorResponse = { status: 499, body: { error: 'the client disconnected', code: 'ABORT_ERR' } };
const SEE_LOG = 'the log of the server has the reason';
const internal = (code: string): ErrorResponse => ({
  status: 500,
  body: { error: 'the server failed', code, hint: SEE_LOG },
});
