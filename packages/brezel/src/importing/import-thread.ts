import type { ResourceLimits, Worker } from 'node:worker_threads';
import type { ImportAnswer, ImportTask, ThreadMessage } from './protocol.js';
import { startThread } from './start-thread.js';

/**
 * A worker thread that imports one model at a time. The owner must wait until `run` has ended
 * before it calls `run` again.
 */
export class ImportThread {
  readonly #worker: Worker;
  /** Why the thread ended. Undefined while it runs. */
  #ended: Error | undefined;
  /** Ends the current task with an error. */
  #fail: ((error: Error) => void) | undefined;

  constructor(limits: ResourceLimits) {
    this.#worker = startThread(limits);
    // If an idle thread ends, no task fails. The owner reads `hasEnded`.
    this.#worker.on('error', (error) => this.#end(error as Error));
    this.#worker.on('messageerror', (error) => this.#end(error));
    this.#worker.on('exit', (code) => this.#end(new Error(`the thread ended with exit code ${code}`)));
    this.#worker.unref();
  }

  get hasEnded(): boolean {
    return this.#ended !== undefined;
  }

  /**
   * Imports a model. The thread holds the parameters of the plan until `release`.
   *
   * @throws the error that ended the thread, the reason of the signal, or a DataCloneError.
   */
  async run(task: ImportTask, signal: AbortSignal | undefined): Promise<ImportAnswer> {
    const abort = () => {
      this.#fail?.(signal!.reason);
      void this.end();
    };
    const worker = this.#worker;
    let onAnswer: ((answer: ImportAnswer) => void) | undefined;
    worker.ref();
    try {
      return await new Promise<ImportAnswer>((resolve, reject) => {
        onAnswer = resolve;
        if (this.#ended !== undefined) return reject(this.#ended);
        this.#fail = reject;
        worker.once('message', onAnswer);
        signal?.addEventListener('abort', abort, { once: true });
        worker.postMessage(task satisfies ThreadMessage, [task.bytes.buffer as ArrayBuffer]);
      });
    } finally {
      this.#fail = undefined;
      if (onAnswer !== undefined) worker.off('message', onAnswer);
      signal?.removeEventListener('abort', abort);
      worker.unref();
    }
  }

  /** Requests that the thread releases the parameters of its last plan. */
  release(): void {
    this.#worker.postMessage('release' satisfies ThreadMessage);
  }

  /** Ends the thread. A task in flight fails. */
  async end(): Promise<void> {
    this.#ended ??= new Error('the thread was ended');
    await this.#worker.terminate();
  }

  #end(error: Error): void {
    this.#ended ??= error;
    this.#fail?.(error);
    // After an unreadable message, the thread still runs, so it must be ended.
    void this.#worker.terminate();
  }
}
