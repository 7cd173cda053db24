import { createRequire } from 'node:module';
import { pathToFileURL } from 'node:url';
import { threadOf } from '@brezel/core';
import type { Piscina } from 'piscina';
import { guard, newGuard, taskEnded, unguard } from './exit-guard.js';
import type { GuardedTask, Reply, Task } from './tasks.js';

const require = createRequire(import.meta.url);

/**
 * A thread without sessions ends after this many milliseconds. It does not end immediately, because
 * starting a thread takes 0.1 s.
 */
const LINGER_MS = 2000;

/**
 * A worker thread that runs one task at a time, in order. It uses piscina with one thread; piscina
 * replaces a thread that dies. The thread does not prevent the process from exiting, and ends
 * `LINGER_MS` after its last session was closed.
 */
export class WorkerThread {
  readonly #running = new Set<Promise<unknown>>();
  #started: StartedThread | undefined;
  #sessions = 0;
  #lingering: NodeJS.Timeout | undefined;

  /** Returns the number of sessions that use the thread. */
  get sessions(): number {
    return this.#sessions;
  }

  /** Counts a session that uses the thread. */
  enter(): void {
    this.#sessions += 1;
    clearTimeout(this.#lingering);
  }

  /** Stops counting a session. After the last session, the thread ends some time later. */
  leave(): void {
    this.#sessions -= 1;
    if (this.#sessions > 0) return;
    this.#lingering = setTimeout(() => void this.end(), LINGER_MS).unref();
  }

  /**
   * Waits for the tasks of the thread, then ends it. Waiting is necessary, because the process
   * aborts if a thread is terminated during a call of onnxruntime-node. The next session starts
   * another thread.
   */
  async end(): Promise<void> {
    clearTimeout(this.#lingering);
    const started = this.#started;
    this.#started = undefined;
    if (started === undefined) return;
    await Promise.allSettled(this.#running);
    await started.pool.destroy();
    unguard(started.guard);
  }

  /** Runs a task. Rejects only if the thread dies during the task. */
  run(task: Task, memory: readonly ArrayBuffer[] = []): Promise<Reply> {
    this.#started ??= start();
    const { pool, guard } = this.#started;
    const reply = pool.run({ ...task, guard }, { transferList: [...memory] });
    this.#running.add(reply);
    const done = () => this.#running.delete(reply);
    reply.then(done, () => {
      done();
      taskEnded(guard); // the thread died, so it does not report the end of the task
    });
    return reply;
  }
}

/**
 * The piscina pool that holds a thread, and the state that makes the exit of the process wait for
 * it.
 */
interface StartedThread {
  readonly pool: Piscina<GuardedTask, Reply>;
  readonly guard: Int32Array;
}

function start(): StartedThread {
  const state = newGuard();
  guard(state);
  return { pool: newPool(), guard: state };
}

function newPool(): Piscina<GuardedTask, Reply> {
  // loaded here, so that processes without a session do not load it
  const { Piscina: Pool } = require('piscina') as typeof import('piscina');
  // resolved by package name, so that a bundle of the library also finds the file
  const worker = pathToFileURL(require.resolve('@brezel/onnxruntime/worker'));
  const pool = new Pool<GuardedTask, Reply>({
    ...threadOf(worker.href),
    minThreads: 1,
    maxThreads: 1,
    concurrentTasksPerWorker: 1,
  });
  pool.on('error', () => undefined); // an idle thread died, and the next task gets a new thread
  return pool;
}
