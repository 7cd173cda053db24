import { InvalidArgumentError, type NatsConnection } from '@nats-io/transport-node';
import { NatsError, natsError } from '../errors.js';

/** Converts an error of @nats-io/transport-node to an error with a code. */
export function connectionError(cause: unknown): NatsError {
  if (cause instanceof NatsError) return cause;
  const received = cause instanceof Error ? cause.message : String(cause);
  const isTooLarge = cause instanceof InvalidArgumentError && received.includes('max_payload');
  return natsError(isTooLarge ? 'ERR_NATS_TOO_LARGE' : 'ERR_NATS_CONNECTION', { received, cause });
}

/** @throws ERR_NATS_CONNECTION if the connection can no longer be used. */
export function checkOpen(connection: NatsConnection): void {
  const state = connection.isClosed() ? 'closed' : connection.isDraining() && 'draining';
  if (state) throw natsError('ERR_NATS_CONNECTION', { received: `a ${state} connection` });
}
