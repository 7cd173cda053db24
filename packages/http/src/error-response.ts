import {
  canceled,
  type ErrorResponse as Described,
  internalError,
  isCanceled,
  isHidden,
  ProtocolError,
  responseOfBrezelError,
  shown,
} from '@brezel/oip';
import { BrezelError } from 'brezel';
import type { RouteHandlerMethod } from 'fastify';
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

/** Returns the response for an error. If the response hides the error, writes it to the log. */
export function loggedResponse(error: unknown, log: { error(error: unknown): void }): ErrorResponse {
  const response = responseOf(error);
  if (isHidden(response.body))
    log.error(error instanceof UnexpectedError && error.cause instanceof Error ? error.cause : error);
  return response;
}

/**
 * An error that code of the server's owner has thrown: a backend, a candidate of a selection, an
 * option. Its text and its status are not for clients. For example, HTTP libraries throw errors
 * whose text is the URL of another server, with the status of that server's answer.
 */
class UnexpectedError extends Error {
  constructor(cause: unknown) {
    super(cause instanceof Error ? cause.message : `${shown(cause)} was thrown, not an Error`, { cause });
  }
}

/** Returns errors of Brezel and of canceled requests unchanged. Hides all other errors. */
export const hidden = (error: unknown): unknown =>
  error instanceof BrezelError || error instanceof ProtocolError || isCanceled(error)
    ? error
    : new UnexpectedError(error);

/** Wraps the handler of a route. The wrapper passes each error of the handler through `hidden`. */
export function hidingErrors(handler: RouteHandlerMethod): RouteHandlerMethod {
  return function handle(request, reply) {
    const result: unknown = handler.call(this, request, reply);
    if (!(result instanceof Promise)) return result;
    return result.catch((error: unknown) => {
      throw hidden(error);
    });
  };
}

/**
 * Errors of fastify, of Node, and of hooks of the application have a status. `hidden` has removed
 * the status of other errors.
 */
function described(error: unknown): Described {
  if (error instanceof ProtocolError) return responseOfBrezelError(httpError(`ERR_HTTP_${error.kind}`, error.details));
  if (error instanceof BrezelError) return responseOfBrezelError(error);
  if (isCanceled(error)) return canceled;
  const { code, statusCode, message } = (error ?? {}) as { code?: string; statusCode?: number; message?: string };
  if (code !== undefined && Object.hasOwn(FASTIFY, code))
    return responseOfBrezelError(httpError(FASTIFY[code]!, { cause: error }));
  // fastify and Node set a status below 500 if the client caused the error.
  if (statusCode !== undefined && statusCode >= 400 && statusCode < 500)
    return { status: statusCode, message: message ?? 'invalid request', code: code ?? 'ERR_HTTP_REQUEST' };
  if (statusCode === 503) return { status: 503, message: 'the server is closing', code: code ?? 'ERR_HTTP_BUSY' };
  return internalError();
}
