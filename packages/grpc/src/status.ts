import {
  canceled,
  type ErrorResponse,
  internalError,
  isCanceled,
  ProtocolError,
  responseOfBrezelError,
} from '@brezel/oip';
import { Metadata, type StatusObject, status } from '@grpc/grpc-js';
import { BrezelError } from 'brezel';
import { grpcError, grpcErrors } from './errors.js';

/**
 * The gRPC status of each HTTP status that the error tables contain. docs/errors.md lists the HTTP
 * status of each error code.
 */
export const statusOfHttp: ReadonlyMap<number, status> = new Map([
  [400, status.INVALID_ARGUMENT],
  [401, status.UNAUTHENTICATED],
  [403, status.PERMISSION_DENIED],
  [404, status.NOT_FOUND],
  [408, status.DEADLINE_EXCEEDED],
  [409, status.FAILED_PRECONDITION],
  [410, status.NOT_FOUND],
  [413, status.RESOURCE_EXHAUSTED],
  [422, status.INVALID_ARGUMENT],
  [429, status.RESOURCE_EXHAUSTED],
  [499, status.CANCELLED],
  [500, status.INTERNAL],
  [501, status.UNIMPLEMENTED],
  [502, status.UNAVAILABLE],
  [503, status.UNAVAILABLE],
  [504, status.DEADLINE_EXCEEDED],
]);

/**
 * The key under which a client finds the code of an error: in the trailing metadata of a call, and
 * in the parameters of a response in a stream.
 */
export const CODE_KEY = 'brezel-code';
/** The key under which a client finds the hint of an error, in the same places. */
export const HINT_KEY = 'brezel-hint';

/** Returns the parts of an error that a client may see. */
export function responseOf(error: unknown): ErrorResponse {
  if (error instanceof ProtocolError) return responseOfBrezelError(grpcError(`ERR_GRPC_${error.kind}`, error.details));
  if (error instanceof BrezelError) return responseOfBrezelError(ownError(error));
  return isCanceled(error) ? canceled : internalError();
}

/**
 * Converts an error of @brezel/http to the error of this package for the same problem. Such errors
 * occur because other processes of the server reject changes of models with errors of @brezel/http.
 */
function ownError(error: BrezelError): BrezelError {
  const code = error.code.replace(/^ERR_HTTP_/, 'ERR_GRPC_');
  if (code === error.code || !(code in grpcErrors)) return error;
  const { hint } = grpcErrors[code as keyof typeof grpcErrors];
  return new BrezelError(code, { message: error.message, hint, statusCode: error.statusCode });
}

/** Returns the gRPC status of an error, with its code and its hint as trailing metadata. */
export function statusOf(response: ErrorResponse): StatusObject {
  const { status: http, code, message, hint } = shortened(response);
  const metadata = new Metadata();
  metadata.set(CODE_KEY, code);
  if (hint !== undefined) metadata.set(HINT_KEY, asciiOf(hint));
  return { code: statusOfHttp.get(http) ?? status.INTERNAL, details: message, metadata };
}

/** Shortens the message and the hint of a response to `MAX_CHARACTERS` each. */
export const shortened = ({ message, hint, ...rest }: ErrorResponse): ErrorResponse => ({
  ...rest,
  message: cut(message),
  ...(hint !== undefined && { hint: cut(hint) }),
});

/**
 * The largest number of characters of a message or a hint. Clients reject long metadata, and a
 * character can take up to 12 bytes in metadata.
 */
const MAX_CHARACTERS = 1000;

/** Cuts a text between two characters, because grpc-js cannot send half a surrogate pair. */
const cut = (text: string) =>
  text.length <= MAX_CHARACTERS ? text : `${Array.from(text).slice(0, MAX_CHARACTERS).join('')}…`;

/** Replaces characters that a value of gRPC metadata cannot contain. */
const asciiOf = (text: string) => text.replace(/[^ -~]/g, '?');
