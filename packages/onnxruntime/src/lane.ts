import { createRequire } from 'node:module';
import { pathToFileURL } from 'node:url';
import { threadOf } from '@brezel/core';
import type { Piscina } from 'piscina';
import type { Reply, Task } from './tasks.js';

const require = createRequire(import.meta.url);

/** A thread without sessions stays for the next one: a new thread costs 0.1 s. */
const LINGER_MS = 2000;

/**
 * One worker thread, one task at a time, in order. A pool of one: piscina replaces a thread that dies. It does not keep the process alive, and ends
 * some time after its last session.
 */
export class Lane {
  #pool: Piscina<Task, Reply> | undefined;
  #sessions = 0;
  #lingering: NodeJS.Timeout | undefined;

  /** Sessions that live here. */
  get sessions(): number {
    return this.#sessions;
  }

  /** A session comes to live here. */
  enter(): void {
    this.#sessions += 1;
    clearTimeout(this.#lingering);
  }

  /** A session has left. */
  leave(): void {
    this.#sessions -= 1;
    if (this.#sessions > 0) return;
    this.#lingering = setTimeout(() => void this.end(), LINGER_MS).unref();
  }

  /** Ends the thread now. The next session gets another. */
  async end(): Promise<void> {
    clearTimeout(this.#lingering);
    const pool = this.#pool;
    this.#pool = undefined;
    await pool?.destroy();
  }

  /** Rejects only when the thread dies while it has the task. */
  run(task: Task, memory: readonly ArrayBuffer[] = []): Promise<Reply> {
    this.#pool ??= newPool();
    return this.#pool.run(task, { transferList: [...memory] });
  }
}

function newPool(): Piscina<Task, Reply> {
  const { Piscina: Pool } = require('piscina') as typeof import('piscina'); // who has no session does not load it
  const worker = pathToFileURL(require.resolve('@brezel/onnxruntime/worker')); // by name, so that a bundle of the library finds the file, too
  const pool = new Pool<Task, Reply>({
    ...threadOf(worker.href),
    minThreads: 1,
    maxThreads: 1,
    concurrentTasksPerWorker: 1,
  });
  pool.on('error', () => undefined); // the death of an idle thread: the next task meets a new one
  return pool;
}
