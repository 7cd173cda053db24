// `process.exit` terminates worker threads. A thread that is inside a call of onnxruntime-node then
// throws a C++ exception that nothing catches, and the process aborts with code 134. So the exit
// waits until the running calls return, and no further call starts.

/** The states of the worker threads of this process. */
const guarded = new Set<Int32Array>();

/** Index of the word that is 1 while a thread runs a task. */
const RUNNING = 0;
/** Index of the word that is 1 after the process started to exit. */
const EXITING = 1;

/** Allocates the state of a worker thread. The thread shares it with the thread that started it. */
export const newGuard = (): Int32Array => new Int32Array(new SharedArrayBuffer(2 * Int32Array.BYTES_PER_ELEMENT));

/**
 * The exit waits for at most this many milliseconds. A thread may have died inside its task without
 * a report, and would otherwise block the exit forever.
 */
const LONGEST_WAIT_MS = 30_000;

/** Makes the exit of the process wait for the running task of a worker thread. */
export function guard(state: Int32Array): void {
  if (guarded.size === 0) process.on('exit', waitForTasks);
  guarded.add(state);
}

/** Undoes `guard`, for a thread that has ended. */
export function unguard(state: Int32Array): void {
  guarded.delete(state);
  if (guarded.size === 0) process.removeListener('exit', waitForTasks);
}

function waitForTasks(): void {
  for (const state of guarded) Atomics.store(state, EXITING, 1);
  const end = performance.now() + LONGEST_WAIT_MS;
  for (const state of guarded) Atomics.wait(state, RUNNING, 1, Math.max(0, end - performance.now()));
}

/** Reports the end of a task. Call it for a thread that died inside its task. */
export function taskEnded(state: Int32Array): void {
  Atomics.store(state, RUNNING, 0);
  Atomics.notify(state, RUNNING);
}

/** Runs a task in the worker thread. Returns undefined without running it if the process exits. */
export async function guardedTask<T>(state: Int32Array, task: () => Promise<T>): Promise<T | undefined> {
  Atomics.store(state, RUNNING, 1);
  try {
    // read after the store: either this thread sees EXITING, or the exit sees RUNNING
    return Atomics.load(state, EXITING) === 1 ? undefined : await task();
  } finally {
    taskEnded(state);
  }
}
