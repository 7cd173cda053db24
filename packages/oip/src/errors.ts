import type { BrezelError } from 'brezel';

/** What was expected, what was received, and where. */
export type ErrorDetails = NonNullable<ConstructorParameters<typeof BrezelError>[2]>;

/**
 * What is wrong with a request. A server converts the kind to an error code: `TENSOR` is
 * `ERR_HTTP_TENSOR` in @brezel/http.
 */
export type ProtocolErrorKind = 'REQUEST' | 'TENSOR' | 'BINARY' | 'ROWS' | 'BUSY' | 'IN_USE' | 'TOKEN' | 'CONTROL';

/** An error of this package. Each server converts it to an error with a code and a hint. */
export class ProtocolError extends Error {
  readonly kind: ProtocolErrorKind;
  readonly details: ErrorDetails;

  constructor(kind: ProtocolErrorKind, details: ErrorDetails) {
    super(kind);
    this.kind = kind;
    this.details = details;
  }
}

/** Creates an error of this package. */
export const protocolError = (kind: ProtocolErrorKind, details: ErrorDetails = {}): ProtocolError =>
  new ProtocolError(kind, details);
