import { openSync, readSync } from 'node:fs';

const bytes = Buffer.alloc(96);
/** Of the thread that opens it; the kernel writes it anew for every reading. Linux only. */
const file = opened();

function opened() {
  try {
    return openSync('/proc/thread-self/schedstat', 'r');
  } catch {
    return undefined;
  }
}

/** For how long this thread could have run and had no core, ms since it began: nothing where the system does not tell. Costs some µs. */
export function waitedForCore() {
  if (file === undefined) return 0;
  const length = readSync(file, bytes, 0, bytes.length, 0);
  return Number(bytes.toString('latin1', 0, length).split(' ')[1]) / 1e6;
}

/** Whether the system tells. */
export const tellsWaits = file !== undefined;
