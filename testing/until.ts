import { setTimeout as pause } from 'node:timers/promises';

/** If a state sends no event, it is checked at this interval in milliseconds. */
const PAUSE_MS = 5;

/**
 * Waits until a condition holds, without a time limit; the runner's guard ends a test that waits
 * for too long. Use it only for states without an event: threads that end, finalizers, files.
 *
 * @example await until(() => runtime.stats().queue.rows === 0)
 */
export async function until(condition: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await condition())) await pause(PAUSE_MS);
}

/**
 * Waits until a condition holds, and runs the garbage collector and its finalizers until then.
 * Needs `--expose-gc`.
 */
export async function untilCollected(condition: () => boolean): Promise<void> {
  await until(() => {
    globalThis.gc!();
    return condition();
  });
}
