import { BrezelError } from 'brezel';

/**
 * The class of this package's errors. A client can fix the cause in its call, or the user can fix
 * it in the options of the server.
 */
export class GrpcError extends BrezelError {}

export const grpcErrors = {
  ERR_GRPC_MESSAGE: {
    statusCode: 400,
    message: 'the message cannot be decoded',
    hint: 'compile the client from the published definition of the Open Inference Protocol v2',
  },
  ERR_GRPC_REQUEST: {
    statusCode: 400,
    message: 'the request does not follow the protocol',
    hint: 'see the README of @brezel/grpc',
  },
  ERR_GRPC_TENSOR: {
    statusCode: 400,
    message: 'a tensor does not fit the model',
    hint: 'ModelMetadata lists names, datatypes and shapes; the first axis holds the rows',
  },
  ERR_GRPC_BINARY: {
    statusCode: 400,
    message: 'the raw contents do not fit the tensors',
    hint: 'send raw_input_contents for all inputs in their order, or contents for each input',
  },
  ERR_GRPC_ROWS: {
    statusCode: 413,
    message: 'the request has too many rows',
    hint: 'send fewer rows at once, use ModelStreamInfer, or increase maxRows (--max-rows)',
  },
  ERR_GRPC_TIMEOUT: {
    statusCode: 408,
    message: 'the request did not arrive in time',
    hint: 'send the request faster, or increase requestTimeoutMs',
  },
  ERR_GRPC_BUSY: {
    statusCode: 429,
    message: 'the server has reached its limit of requests in flight',
    hint: 'try again later, or increase concurrency (--concurrency)',
  },
  ERR_GRPC_CLOSING: {
    statusCode: 503,
    message: 'the server is closing',
    hint: 'send the request to another server, or try again later',
  },
  ERR_GRPC_TOKEN: {
    statusCode: 401,
    message: 'the token is missing or wrong',
    hint: 'send the metadata "authorization: Bearer TOKEN"',
  },
  ERR_GRPC_CONTROL: {
    statusCode: 403,
    message: 'control of models over gRPC is disabled',
    hint: 'start the server with a token (--token-file)',
  },
  ERR_GRPC_IN_USE: {
    statusCode: 409,
    message: 'the model cannot be unloaded now',
    hint: 'it answers requests, or the server has no file to load it again: try again later',
  },
  ERR_GRPC_ADDRESS: {
    message: 'the server cannot listen on the address',
    hint: 'choose another host or port',
  },
  ERR_GRPC_TLS: {
    message: 'the certificate or the private key of the server is invalid',
    hint: 'pass files in PEM that belong together: the certificate first, then its chain, and the private key',
  },
  ERR_GRPC_OPTION: {
    message: 'invalid option of the server',
    hint: 'see the README of @brezel/grpc',
  },
} as const;

/** Creates an error of this package. */
export const grpcError = (
  code: keyof typeof grpcErrors,
  details: ConstructorParameters<typeof BrezelError>[2] = {},
): GrpcError => new GrpcError(code, grpcErrors[code], details);
