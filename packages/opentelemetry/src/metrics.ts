import type { BatchObservableCallback, Meter, Observable } from '@opentelemetry/api';
import type { Metric, PredictionMessage, Runtime } from 'brezel';
import { attributesOf, errorType, listen } from './channels.js';

/**
 * Registers an observable instrument for each metric. When the SDK collects metrics, `read` is
 * called once for all instruments. Returns a function that removes the instruments.
 */
export function observeStatistics<Statistics>(
  metrics: readonly Metric<Statistics>[],
  read: () => Statistics,
  meter: Meter,
): () => void {
  const instruments = metrics.map((metric) => {
    const options = { description: metric.help, ...(metric.unit && { unit: metric.unit }) };
    const name = `brezel.${metric.name}`;
    const instrument: Observable =
      metric.kind === 'gauge'
        ? meter.createObservableGauge(name, options)
        : meter.createObservableCounter(name, options);
    return { metric, instrument };
  });
  const all = instruments.map(({ instrument }) => instrument);
  const observe: BatchObservableCallback = (result) => {
    const stats = read();
    for (const { metric, instrument } of instruments)
      for (const { labels, value } of metric.read(stats)) result.observe(instrument, value, attributesFrom(labels));
  };
  meter.addBatchObservableCallback(observe, all);
  return () => meter.removeBatchObservableCallback(observe, all);
}

/**
 * Prefixes labels (`plan` → `brezel.plan`), so that they do not collide with names of
 * OpenTelemetry's semantic conventions.
 */
const attributesFrom = (labels: Readonly<Record<string, string>>) =>
  Object.fromEntries(Object.entries(labels).map(([label, value]) => [`brezel.${label}`, value]));

const NANOSECOND = 1e-9;
/**
 * Boundaries of the histogram's buckets in seconds. They start at 1 µs, because a prediction takes
 * microseconds.
 */
const BOUNDARIES = [1e-6, 2e-6, 5e-6, 1e-5, 2e-5, 5e-5, 1e-4, 2e-4, 5e-4, 1e-3, 2e-3, 5e-3, 1e-2, 5e-2, 0.2, 1];

/**
 * Records the time from call to answer of each prediction in a histogram. A failed prediction has
 * its error code as an attribute. Returns a function that stops recording.
 */
export function observeDurations(runtime: Runtime, meter: Meter): () => void {
  const duration = meter.createHistogram('brezel.prediction.duration', {
    description: 'Time from call to answer',
    unit: 's',
    advice: { explicitBucketBoundaries: BOUNDARIES },
  });
  const record = (message: PredictionMessage, error?: { readonly 'error.type': string }) => {
    if (!runtime.has(message.registered)) return;
    duration.record(message.nanoseconds! * NANOSECOND, { ...attributesOf(message), ...error });
  };
  return listen({
    end: (message) => record(message),
    error: (message) => record(message, { 'error.type': errorType(message.error) }),
  });
}
