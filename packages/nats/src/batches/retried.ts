import { errors } from '@nats-io/transport-node';
import type { Clock } from 'brezel';
import { isCausedBy } from '../errors.js';

/** How often a call of JetStream is tried while NATS cannot be reached. */
const ATTEMPTS = 10;
/** Milliseconds between two attempts. */
const PAUSE_MS = 1000;

/**
 * Calls JetStream, and tries again while NATS cannot be reached. Only for calls that may run twice:
 * reads, writes with a condition, and removals.
 *
 * @param isEnded returns true if no caller waits for the result
 */
export async function retried<T>(clock: Clock, work: () => Promise<T>, isEnded: () => boolean = never): Promise<T> {
  for (let attempt = 1; ; attempt++)
    try {
      return await work();
    } catch (error) {
      if (attempt === ATTEMPTS || isEnded() || !isAway(error)) throw error;
      await new Promise<void>((resolve) => clock.setTimeout(resolve, PAUSE_MS));
    }
}

const never = () => false;

/** Whether NATS, or its JetStream, has not answered. */
const isAway = (error: unknown): boolean => isCausedBy(error, errors.TimeoutError, errors.NoRespondersError);
