import {
  canceled,
  type ErrorResponse as Described,
  internalError,
  isCanceled,
  ProtocolError,
  responseOfBrezelError,
} from '@brezel/oip';
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
  FST_ERR_BAD_URL: 'ERR_HTTP_REQUEST',
  FST_ERR_MAX_PARAM_LENGTH: 'ERR_HTTP_PATH',
};

/** Returns the status and the body of the response for any error. */
export function responseOf(error: unknown): ErrorResponse {
  const { status, message, code, hint } = described(error);
  return { status, body: { error: message, code, ...(hint !== undefined && { hint }) } };
}

function described(error: unknown): Described {
  if (error instanceof ProtocolError) return responseOfBrezelError(httpError(`ERR_HTTP_${error.kind}`, error.details));
  if (error instanceof BrezelError) return responseOfBrezelError(error);
  if (isCanceled(error)) return canceled;
  const { code, statusCode, message } = (error ?? {}) as { code?: string; statusCode?: number; message?: string };
  const known = FASTIFY[code ?? ''];
  if (known !== undefined) return responseOfBrezelError(httpError(known, { cause: error }));
  // fastify and Node set a status below 500 if the client caused the error.
  if (statusCode !== undefined && statusCode >= 400 && statusCode < 500)
    return { status: statusCode, message: message ?? 'invalid request', code: code ?? 'ERR_HTTP_REQUEST' };
  if (statusCode === 503) return { status: 503, message: 'the server is closing', code: code ?? 'ERR_HTTP_BUSY' };
  return internalError();
}
