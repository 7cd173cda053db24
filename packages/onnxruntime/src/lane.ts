import { createRequire } from 'node:module';
import { Piscina } from 'piscina';
import type { Reply, Task } from './tasks.js';

// Resolved by name, so that a bundle of the library finds the file, too.
const filename = createRequire(import.meta.url).resolve('@brezel/onnxruntime/worker');

/**
 * One worker thread, one task at a time, in order. A pool of one: piscina replaces a thread that dies. It is there while it holds sessions, and does
 * not keep the process alive.
 */
export class Lane {
  #pool: Piscina<Task, Reply> | undefined;
  #sessions = 0;

  /** Sessions that live here. */
  get sessions(): number {
    return this.#sessions;
  }

  /** A session comes to live here. */
  enter(): void {
    this.#sessions += 1;
  }

  /** A session has left; the thread ends with the last one. */
  async leave(): Promise<void> {
    this.#sessions -= 1;
    if (this.#sessions > 0) return;
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
  const pool = new Piscina<Task, Reply>({ filename, minThreads: 1, maxThreads: 1, concurrentTasksPerWorker: 1 });
  pool.on('error', () => undefined); // the death of an idle thread: the next task meets a new one
  return pool;
}
