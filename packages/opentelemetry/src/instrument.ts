import { type Meter, metrics, type Tracer, trace } from '@opentelemetry/api';
import { type PredictionVerb, type RegistryStatistics, type Runtime, registryMetrics, runtimeMetrics } from 'brezel';
import { observeDurations, observeStatistics } from './metrics.js';
import { recordSpans } from './spans.js';

/** The name under which OpenTelemetry lists this package as an instrumentation scope. */
const SCOPE = '@brezel/opentelemetry';

/** Options of `instrumentRuntime`: the tracer, the meter, and what to record. */
export interface InstrumentOptions {
  /** Default: a tracer of the global provider. */
  readonly tracer?: Tracer;
  /** Default: a meter of the global provider. */
  readonly meter?: Meter;
  /**
   * Verbs whose calls become spans. Default: `predict`, `predictBatch`, `predictColumns` and
   * `predictStream`. The default omits `predictSync`, because recording a span takes longer than
   * such a call.
   */
  readonly spans?: readonly PredictionVerb[];
  /**
   * Whether to register a metric for each number of `stats()`. The SDK reads the metrics when it
   * collects them. Default true.
   */
  readonly statistics?: boolean;
  /**
   * Whether to record the time from call to answer of each prediction in a histogram. Default true.
   */
  readonly durations?: boolean;
}

/** A running instrumentation; see `instrumentRuntime`. */
export interface Instrumentation {
  /** Stops recording spans and metrics. Repeated calls are allowed. */
  stop(): void;
  [Symbol.dispose](): void;
}

const SPANS: readonly PredictionVerb[] = ['predict', 'predictBatch', 'predictColumns', 'predictStream'];

/**
 * Records spans of the predictions of a runtime, and metrics of `runtime.stats()`. The parent of a
 * span is the span that is active when the prediction is called.
 *
 * @example
 * const instrumentation = instrumentRuntime(runtime);
 * await tracer.startActiveSpan('GET /score', async (span) => {
 *   await runtime.predict(plan, row); // a span below it
 *   span.end();
 * });
 * instrumentation.stop();
 */
export function instrumentRuntime(runtime: Runtime, options: InstrumentOptions = {}): Instrumentation {
  const { spans = SPANS, statistics = true, durations = true } = options;
  const { tracer = trace.getTracer(SCOPE), meter = metrics.getMeter(SCOPE) } = options;
  const stops: (() => void)[] = [];
  if (spans.length > 0) stops.push(recordSpans(runtime, tracer, new Set(spans)));
  if (durations) stops.push(observeDurations(runtime, meter));
  if (statistics) stops.push(observeStatistics(runtimeMetrics, () => runtime.stats(), meter));
  return instrumentation(stops);
}

/** A registry of models, as `createRegistry` returns it. */
export interface Models {
  stats(): RegistryStatistics;
}

/**
 * Records metrics of the `stats()` of a registry of models. To record its runtime, call
 * `instrumentRuntime` separately.
 *
 * @example
 * const models = await createRegistry();
 * const instrumentation = instrumentRegistry(models);
 * instrumentation.stop();
 */
export function instrumentRegistry(models: Models, options: Pick<InstrumentOptions, 'meter'> = {}): Instrumentation {
  const { meter = metrics.getMeter(SCOPE) } = options;
  return instrumentation([observeStatistics(registryMetrics, () => models.stats(), meter)]);
}

function instrumentation(stops: (() => void)[]): Instrumentation {
  const stop = () => {
    for (const stopOne of stops.splice(0)) stopOne();
  };
  return { stop, [Symbol.dispose]: stop };
}
