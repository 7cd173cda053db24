import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import type { PredictionMessage, Runtime } from 'brezel';
import { Counter, Histogram, type Registry } from 'prom-client';

/**
 * Upper bounds of the histograms' buckets in seconds. They start at 1 µs, because a prediction
 * takes microseconds; prom-client's default buckets start at 5 ms.
 */
const BUCKETS = [1e-6, 2e-6, 5e-6, 1e-5, 2e-5, 5e-5, 1e-4, 2e-4, 5e-4, 1e-3, 2e-3, 5e-3, 1e-2, 5e-2, 0.2, 1];
const NANOSECOND = 1e-9;

/** Counts and times the predictions of a runtime while they run. */
export class PredictionMetrics {
  readonly #runtime: Runtime;
  readonly #seconds: Histogram<'plan' | 'verb'>;
  readonly #queuedSeconds: Histogram<'plan' | 'verb'>;
  readonly #rows: Counter<'plan' | 'verb' | 'engine'>;
  readonly #errors: Counter<'plan' | 'verb' | 'code'>;
  readonly #onEnd = (message: unknown) => this.#ended(message as PredictionMessage);
  readonly #onError = (message: unknown) => this.#failed(message as PredictionMessage);

  constructor(
    runtime: Runtime,
    registry: Registry,
    prefix: string,
    buckets: readonly number[] = BUCKETS,
    added: (name: string) => void,
  ) {
    this.#runtime = runtime;
    const facts = <L extends string>(name: string, help: string, ...more: L[]) => ({
      name: `${prefix}${name}`,
      help,
      labelNames: ['plan' as const, 'verb' as const, ...more],
      registers: [registry],
    });
    const listed = <M>(metric: M, name: string): M => {
      added(`${prefix}${name}`);
      return metric;
    };
    const times = { buckets: [...buckets] };
    this.#seconds = listed(
      new Histogram({ ...facts('prediction_seconds', 'Time from call to answer'), ...times }),
      'prediction_seconds',
    );
    this.#queuedSeconds = listed(
      new Histogram({
        ...facts('prediction_queued_seconds', 'Time from call until the rows started to run'),
        ...times,
      }),
      'prediction_queued_seconds',
    );
    this.#rows = listed(
      new Counter(facts('prediction_rows_total', 'Rows that were answered, by engine', 'engine')),
      'prediction_rows_total',
    );
    this.#errors = listed(
      new Counter(facts('prediction_errors_total', 'Predictions without an answer, by code of the error', 'code')),
      'prediction_errors_total',
    );
    subscribe('brezel:predict:end', this.#onEnd);
    subscribe('brezel:predict:error', this.#onError);
  }

  stop(): void {
    unsubscribe('brezel:predict:end', this.#onEnd);
    unsubscribe('brezel:predict:error', this.#onError);
  }

  #ended({ plan, registered, verb, rows, choice, queuedNanoseconds, nanoseconds }: PredictionMessage): void {
    // all runtimes in this thread publish on the same channels
    if (!this.#runtime.has(registered)) return;
    this.#seconds.observe({ plan, verb }, nanoseconds! * NANOSECOND);
    if (queuedNanoseconds !== undefined)
      this.#queuedSeconds.observe({ plan, verb }, Math.max(0, queuedNanoseconds) * NANOSECOND);
    const engine = choice?.engine ?? (verb === 'predictStream' ? 'batch' : 'request-response');
    this.#rows.inc({ plan, verb, engine }, rows);
  }

  #failed({ plan, registered, verb, error }: PredictionMessage): void {
    if (!this.#runtime.has(registered)) return;
    this.#errors.inc({ plan, verb, code: codeOf(error) });
  }
}

/**
 * Returns the label for an error: the error code of Brezel or Node, otherwise the name of its
 * class. Labels must not contain messages, because the number of different messages is unbounded.
 */
function codeOf(error: unknown): string {
  const { code, name } = (error ?? {}) as { code?: unknown; name?: unknown };
  if (typeof code === 'string') return code;
  return typeof name === 'string' ? name : 'unknown';
}
