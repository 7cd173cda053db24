import { createRequire } from 'node:module';
import { pathToFileURL } from 'node:url';
import { threadOf } from '@brezel/core';
import type { Piscina } from 'piscina';
import type { Reply, Task } from './tasks.js';

const require = createRequire(import.meta.url);

/**
 * A thread without sessions ends after this many milliseconds. It does not end immediately, because
 * starting a thread takes 0.1 s.
 */
const LINGER_MS = 2000;

/**
 * A worker thread that runs one task at a time, in order. It uses a piscina pool of size one, which
 * replaces a thread that dies. It does not prevent the process from exiting, and ends some time
 * after its last session.
 */
export class WorkerThread {
  #pool: Piscina<Task, Reply> | undefined;
  #sessions = 0;
  #lingering: NodeJS.Timeout | undefined;

  /** Number of sessions in the thread. */
  get sessions(): number {
    return this.#sessions;
  }

  /** Registers a session. */
  enter(): void {
    this.#sessions += 1;
    clearTimeout(this.#lingering);
  }

  /** Removes a session. */
  leave(): void {
    this.#sessions -= 1;
    if (this.#sessions > 0) return;
    this.#lingering = setTimeout(() => void this.end(), LINGER_MS).unref();
  }

  /** Ends the thread now. The next session starts another thread. */
  async end(): Promise<void> {
    clearTimeout(this.#lingering);
    const pool = this.#pool;
    this.#pool = undefined;
    await pool?.destroy();
  }

  /** Runs a task. Rejects only if the thread dies during the task. */
  run(task: Task, memory: readonly ArrayBuffer[] = []): Promise<Reply> {
    this.#pool ??= newPool();
    return this.#pool.run(task, { transferList: [...memory] });
  }
}

function newPool(): Piscina<Task, Reply> {
  // loaded here, so that processes without a session do not load it
  const { Piscina: Pool } = require('piscina') as typeof import('piscina');
  // resolved by package name, so that a bundle of the library also finds the file
  const worker = pathToFileURL(require.resolve('@brezel/onnxruntime/worker'));
  const pool = new Pool<Task, Reply>({
    ...threadOf(worker.href),
    minThreads: 1,
    maxThreads: 1,
    concurrentTasksPerWorker: 1,
  });
  pool.on('error', () => undefined); // an idle thread died, and the next task gets a new thread
  return pool;
}
