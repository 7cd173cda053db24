import { readFile } from 'node:fs/promises';

/** The memory of one process. */
export interface ProcessMemory {
  /** Resident bytes. Memory that several processes share is counted in full for each process. */
  readonly rssBytes: number;
  /**
   * Proportional bytes: a page that n processes share counts as 1/n, so that the sum over processes
   * is the memory that they use together. Undefined where the system does not report it.
   */
  readonly pssBytes?: number;
}

/** Returns the memory of this process. Cost: about 1 ms on Linux. */
export async function processMemory(): Promise<ProcessMemory> {
  const rssBytes = process.memoryUsage.rss();
  const rollup = await readFile('/proc/self/smaps_rollup', 'latin1').catch(() => ''); // Linux only
  const kibibytes = /^Pss:\s+(\d+) kB$/m.exec(rollup)?.[1];
  return kibibytes === undefined ? { rssBytes } : { rssBytes, pssBytes: Number(kibibytes) * 1024 };
}
