import { setMaxListeners } from 'node:events';
import { setImmediate as turnOfTheEventLoop } from 'node:timers/promises';

/**
 * Runs asynchronous blocks, at most `concurrency` in parallel. The event loop runs before each
 * block except the first. After a failure, no new block starts. Running blocks finish first, so
 * that the error of the first faulty block is thrown.
 */
export async function withConcurrency(
  blocks: number,
  concurrency: number,
  run: (at: number) => Promise<void>,
): Promise<void> {
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
 * Returns a signal for all blocks of a call that forwards the caller's signal with one listener.
 * Node warns of a leak when one signal has many listeners.
 */
export function ownSignal(signal: AbortSignal | undefined): Disposable & { readonly signal: AbortSignal | undefined } {
  if (signal === undefined) return { signal, [Symbol.dispose]: () => undefined };
  const own = new AbortController();
  setMaxListeners(0, own.signal);
  const abort = () => own.abort(signal.reason);
  if (signal.aborted) abort();
  else signal.addEventListener('abort', abort, { once: true });
  return { signal: own.signal, [Symbol.dispose]: () => signal.removeEventListener('abort', abort) };
}
