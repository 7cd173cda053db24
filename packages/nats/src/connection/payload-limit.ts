import type { NatsConnection } from '@nats-io/transport-node';

/** The limit of a NATS server that does not report its limit. */
const DEFAULT_MAX_PAYLOAD = 2 ** 20;

/**
 * Returns a function that returns the largest number of bytes of a message. While a connection is
 * lost, it does not know the limit; the function then returns the last known limit.
 */
export function payloadLimitOf(connection: NatsConnection): () => number {
  let last = DEFAULT_MAX_PAYLOAD;
  const limit = () => {
    last = connection.info?.max_payload ?? last;
    return last;
  };
  limit();
  return limit;
}
