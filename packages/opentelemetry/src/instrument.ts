import { type Meter, metrics, type Tracer, trace } from '@opentelemetry/api';
import { type PredictionVerb, type RegistryStatistics, type Runtime, registryMetrics, runtimeMetrics } from 'brezel';
import { observeDurations, observeStatistics } from './metrics.js';
import { recordSpans } from './spans.js';

/** Name of the instrumentation scope. */
const SCOPE = '@brezel/opentelemetry';

export interface InstrumentOptions {
  /** Default: of the global provider. */
  readonly tracer?: Tracer;
  /** Default: of the global provider. */
  readonly meter?: Meter;
  /** Verbs whose calls become spans. `predictSync` is left out by default: a span takes longer than it. */
  readonly spans?: readonly PredictionVerb[];
  /** Observable instruments over `stats()`, read when the SDK collects. Default true. */
  readonly statistics?: boolean;
  /** Histogram of the time from call to answer, a record a prediction. Default true. */
  readonly durations?: boolean;
}

/** What `instrumentRuntime` gives back. */
export interface Instrumentation {
  /** No spans and metrics any more. Twice does no harm. */
  stop(): void;
  [Symbol.dispose](): void;
}

const SPANS: readonly PredictionVerb[] = ['predict', 'predictBatch', 'predictStream'];

/**
 * Spans of the predictions of a runtime, children of what is active where the prediction was asked for, and metrics of what `runtime.stats()` says.
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

/** A registry of models, as `createRegistry` makes it. */
export interface Models {
  stats(): RegistryStatistics;
}

/**
 * Metrics of what the `stats()` of a registry of models says. Its runtime is instrumented by itself.
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
    for (const one of stops.splice(0)) one();
  };
  return { stop, [Symbol.dispose]: stop };
}
