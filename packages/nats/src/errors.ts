import type { ErrorDetails } from '@brezel/oip';
import { PermissionViolationError } from '@nats-io/transport-node';
import { BrezelError } from 'brezel';

/**
 * The class of this package's errors. Errors of a prediction are the errors of the registry that
 * answered it.
 */
export class NatsError extends BrezelError {}

export const natsErrors = {
  ERR_NATS_OPTION: {
    statusCode: 500,
    message: 'invalid option',
    hint: 'see the README of @brezel/nats',
  },
  ERR_NATS_SERVER_URL: {
    statusCode: 500,
    message: 'invalid address of a NATS server',
    hint: 'write nats://HOST:PORT, tls://HOST:PORT or HOST:PORT; pass credentials in files or environment variables',
  },
  ERR_NATS_CREDENTIALS: {
    statusCode: 500,
    message: 'the file with credentials cannot be used',
    hint: 'check the path, the permissions and the contents of the file',
  },
  ERR_NATS_CONNECTION: {
    statusCode: 503,
    message: 'no connection to a NATS server',
    hint: 'check that the NATS server runs and accepts the credentials; see `cause`',
  },
  ERR_NATS_CLOSED: {
    statusCode: 503,
    message: 'the client is closed',
    hint: 'call connectFleet, openArtifacts or openCatalog again',
  },
  ERR_NATS_PERMISSION: {
    statusCode: 403,
    message: 'the account of the connection has no permission',
    hint: 'allow the subjects that the task of the account needs: see Security in the README of @brezel/nats',
  },
  ERR_NATS_NO_SERVER: {
    statusCode: 503,
    message: 'no server answers this model',
    hint: 'check the name of the model, and that a server with this model has joined: joinCluster, or brezel serve --join',
  },
  ERR_NATS_TIMEOUT: {
    statusCode: 504,
    message: 'no server has answered in time',
    hint: 'increase timeoutMs of connectFleet or deadlineMs of the call, or send fewer rows',
  },
  ERR_NATS_MESSAGE: {
    statusCode: 400,
    message: 'invalid message',
    hint: 'use connectFleet of @brezel/nats in a compatible version',
  },
  ERR_NATS_VALUE: {
    statusCode: 400,
    message: 'a row contains a value that cannot be sent',
    hint: 'send texts, numbers, bigints, booleans, lists, typed arrays, Maps and plain objects',
  },
  ERR_NATS_TOO_LARGE: {
    statusCode: 413,
    message: 'a message exceeds the limit of the NATS server',
    hint: 'send smaller rows, or increase max_payload of the NATS server',
  },
  ERR_NATS_STORE: {
    statusCode: 503,
    message: 'the JetStream store of the cluster cannot be used',
    hint: 'start nats-server with JetStream (-js -sd FOLDER), let the account use it, and push a fleet file first; see `cause`',
  },
  ERR_NATS_ARTIFACT: {
    statusCode: 500,
    message: 'an artifact is missing, damaged or invalid',
    hint: 'push the fleet file again; if an object with wrong bytes has the right name, first delete it: nats object rm brezel-artifacts SHA256',
  },
  ERR_NATS_CATALOG: {
    statusCode: 409,
    message: 'the catalog rejects the change or the entry',
    hint: 'see the versions and aliases: brezel fleet list nats://HOST:PORT',
  },
  ERR_NATS_BATCH: {
    statusCode: 409,
    message: 'the batch cannot be used',
    hint: 'see the batches: brezel batch list --servers nats://HOST:PORT',
  },
  ERR_NATS_CACHE: {
    statusCode: 500,
    message: 'the cache folder for artifacts cannot be used',
    hint: 'check the space and the permissions of the folder, or set cacheFolder and cacheBytes',
  },
  ERR_NATS_FAILED: {
    statusCode: 500,
    message: 'the server failed',
    hint: 'the log of the server has the reason',
  },
} as const;

/** Creates an error of this package. */
export const natsError = (code: keyof typeof natsErrors, details: ErrorDetails = {}): NatsError =>
  new NatsError(code, natsErrors[code], details);

/**
 * Converts an error of JetStream.
 *
 * @param at the bucket or the streams
 * @returns a `NatsError` as it is, ERR_NATS_PERMISSION if the account may not use JetStream, and
 * otherwise ERR_NATS_STORE
 */
export function storeError(cause: unknown, at: string): NatsError {
  if (cause instanceof NatsError) return cause;
  const received = cause instanceof Error ? cause.message : String(cause);
  return natsError(isCausedBy(cause, PermissionViolationError) ? 'ERR_NATS_PERMISSION' : 'ERR_NATS_STORE', {
    received,
    at,
    cause,
  });
}

/** Whether an error, or its cause, is of one of these classes. */
export const isCausedBy = (
  error: unknown,
  ...types: readonly (abstract new (
    ...parameters: never
  ) => Error)[]
): boolean => [error, (error as Error | undefined)?.cause].some((one) => types.some((type) => one instanceof type));
