import { setTimeout as pause } from 'node:timers/promises';

/** Milliseconds between two looks at a state that sends no event. */
const PAUSE_MS = 5;

/**
 * Waits until a condition holds, for as long as it takes; the runner's guard ends a test that waits
 * for too long. Use it only for states without an event: threads that end, finalizers, files.
 *
 * @example await until(() => runtime.stats().queue.rows === 0)
 */
export async function until(condition: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await condition())) await pause(PAUSE_MS);
}

/**
 * Waits until the garbage collector and its finalizers have brought a condition about. Needs
 * `--expose-gc`.
 */
export async function untilCollected(condition: () => boolean): Promise<void> {
  await until(() => {
    globalThis.gc!();
    return condition();
  });
}
