/**
 * Runs asynchronous work until `cancel` or a signal aborts it. This class replaces
 * `AbortSignal.any`: in Node, a long-lived signal keeps a weak reference to every signal that `any`
 * has derived from it, so its list of references grows.
 */
export class CancellableWork {
  readonly #running = new Set<AbortController>();
  #reason: unknown;

  /** Passes `work` a signal that aborts together with `signal`, or when `cancel` is called. */
  async run<T>(signal: AbortSignal | undefined, work: (signal: AbortSignal) => Promise<T>): Promise<T> {
    const controller = new AbortController();
    const abort = () => controller.abort(signal?.reason);
    if (this.#reason !== undefined) controller.abort(this.#reason);
    if (signal?.aborted) abort();
    signal?.addEventListener('abort', abort, { once: true });
    this.#running.add(controller);
    try {
      return await work(controller.signal);
    } finally {
      this.#running.delete(controller);
      signal?.removeEventListener('abort', abort);
    }
  }

  /** Aborts all running work and all later work with `reason`. */
  cancel(reason: Error): void {
    this.#reason ??= reason;
    for (const controller of this.#running) controller.abort(this.#reason);
  }
}
