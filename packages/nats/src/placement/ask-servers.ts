import { errors, type NatsConnection } from '@nats-io/transport-node';
import { natsError } from '../errors.js';
import { SERVERS_ASK } from '../protocol/subjects.js';
import { decodeState, type ServerState } from './server-state.js';

/** Milliseconds without a further report after which all servers have reported. */
const STALL_MS = 300;
const MOST_MS = 5000;

/**
 * Asks the servers that place models for their states.
 * @throws ERR_NATS_CONNECTION
 */
export async function askServers(connection: NatsConnection): Promise<ServerState[]> {
  const states = new Map<string, ServerState>();
  try {
    const options = { strategy: 'stall', stall: STALL_MS, maxWait: MOST_MS } as const;
    for await (const { data } of await connection.requestMany(SERVERS_ASK, '', options)) {
      const state = decodeState(data);
      if (state !== undefined) states.set(state.name, state);
    }
  } catch (cause) {
    if (isUnanswered(cause)) return [];
    const received = cause instanceof Error ? cause.message : String(cause);
    throw natsError('ERR_NATS_CONNECTION', { received, cause });
  }
  return [...states.values()];
}

/** Returns whether no server has subscribed, or none has reported. */
const isUnanswered = (error: unknown): boolean =>
  error instanceof errors.NoRespondersError || error instanceof errors.TimeoutError;
