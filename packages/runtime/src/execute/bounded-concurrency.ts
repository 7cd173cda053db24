import { setMaxListeners } from 'node:events';
import { setImmediate as turnOfTheEventLoop } from 'node:timers/promises';
import { type ClockTimer, InternalError } from '@brezel/core';
import type { BatchWatch } from './batch.js';

/**
 * Runs blocks asynchronously, at most `concurrency` at the same time. The event loop runs before
 * each block except the first. After a failure, no new block starts. If several blocks in flight
 * fail, the error of the block with the smallest index is thrown.
 */
export async function withConcurrency(
  blocks: number,
  concurrency: number,
  run: (at: number) => Promise<void>,
): Promise<void> {
  // With NaN, no worker would start, and the call would end without answers.
  if (!(concurrency >= 1)) throw new InternalError(`blocks run with the concurrency ${concurrency}`);
  let next = 0;
  const failures: { readonly at: number; readonly error: unknown }[] = [];
  const worker = async () => {
    while (next < blocks && failures.length === 0) {
      const at = next++;
      if (at > 0) await turnOfTheEventLoop();
      try {
        await run(at);
      } catch (error) {
        failures.push({ at, error });
      }
    }
  };
  await Promise.all(Array.from({ length: Math.min(blocks, concurrency) }, worker));
  const [earliest] = failures.sort((a, b) => a.at - b.at);
  if (earliest !== undefined) throw earliest.error;
}

/**
 * Returns a signal for all blocks of a call. The signal aborts when the caller's signal aborts or
 * the deadline passes, so that a backend stops in both cases. The reason of the signal is the error
 * that `check` throws.
 *
 * All blocks share this signal, because Node warns of a leak when the caller's signal has many
 * listeners.
 */
export function blockSignal(
  limits: BatchWatch['limits'],
  check: () => void,
): Disposable & { readonly signal: AbortSignal | undefined } {
  if (limits === undefined) return { signal: undefined, [Symbol.dispose]: () => undefined };
  const own = new AbortController();
  setMaxListeners(0, own.signal);
  let timer: ClockTimer | undefined;
  const abortIfEnded = () => {
    try {
      check();
    } catch (error) {
      return own.abort(error);
    }
    // a timer may fire early
    if (limits.remainingMs !== Infinity) timer = limits.later(abortIfEnded);
  };
  abortIfEnded();
  limits.signal?.addEventListener('abort', abortIfEnded, { once: true });
  return {
    signal: own.signal,
    [Symbol.dispose]: () => {
      timer?.cancel();
      limits.signal?.removeEventListener('abort', abortIfEnded);
    },
  };
}
