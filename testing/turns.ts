import { setImmediate } from 'node:timers/promises';

/** Waits for turns of the event loop. */
export async function turns(count = 1): Promise<void> {
  for (let turn = 0; turn < count; turn++) await setImmediate();
}
