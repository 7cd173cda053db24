import { readFile } from 'node:fs/promises';
import { setTimeout } from 'node:timers/promises';

/**
 * Returns the resident bytes of this process after garbage collection (node --expose-gc). Returns
 * undefined without /proc.
 */
export async function residentBytes(): Promise<number | undefined> {
  for (let turn = 0; turn < 3; turn++) {
    globalThis.gc?.();
    await setTimeout(5); // lets finalizers run
  }
  try {
    const status = await readFile('/proc/self/status', 'utf8');
    const kilobytes = /^VmRSS:\s+(\d+) kB/m.exec(status)?.[1];
    return kilobytes === undefined ? undefined : Number(kilobytes) * 1024;
  } catch {
    return undefined;
  }
}
