import type { Percentiles } from '../percentiles.js';
import type { PlanStatistics, RuntimeStatistics } from '../statistics.js';
import { deviceMetrics } from './device-metrics.js';
import { executorMetrics } from './executor-metrics.js';
import type { Reading, RuntimeMetric } from './metric.js';
import { poolMetrics } from './pool-metrics.js';
import { qualityMetrics } from './quality-metrics.js';

export type { Metric, Reading, RuntimeMetric } from './metric.js';

type Description = Pick<RuntimeMetric, 'name' | 'kind' | 'help' | 'combine'>;

/**
 * Returns the description of a gauge for which a server reports the greatest value of its
 * processes, because the values are equal or are percentiles.
 */
const gauge = (name: string, help: string): Description => ({ name, kind: 'gauge', help, combine: 'max' });
/** Returns the description of a gauge whose values are added over the processes of a server. */
const sumGauge = (name: string, help: string): Description => ({ name, kind: 'gauge', help });
const counter = (name: string, help: string): Description => ({ name, kind: 'counter', help });

/**
 * Returns a metric with one reading for the whole runtime. The metric has no reading if the runtime
 * does not measure its value.
 */
const whole = (description: Description, of: (stats: RuntimeStatistics) => number | undefined): RuntimeMetric => ({
  ...description,
  labels: [],
  read: (stats) => present({}, of(stats)),
});

/** Returns a metric with one reading for each plan. */
const each = (description: Description, of: (plan: PlanStatistics) => number | undefined): RuntimeMetric => ({
  ...description,
  labels: ['plan'],
  read: ({ plans }) => plans.flatMap((plan) => present({ plan: plan.name }, of(plan))),
});

const present = (labels: Reading['labels'], value: number | undefined): Reading[] =>
  value === undefined ? [] : [{ labels, value }];

const NANOSECOND = 1e-9;

/** Converts percentiles in nanoseconds to readings in seconds. */
function quantiles(labels: Reading['labels'], { samples, p50, p90, p99, p999, max }: Percentiles): Reading[] {
  if (samples === 0) return [];
  const byQuantile = { '0.5': p50, '0.9': p90, '0.99': p99, '0.999': p999, '1': max };
  return Object.entries(byQuantile).map(([quantile, nanoseconds]) => ({
    labels: { ...labels, quantile },
    value: nanoseconds * NANOSECOND,
  }));
}

const OUTCOMES = ['answered', 'refused', 'limited', 'failed', 'quarantined'] as const;

/**
 * The metrics of `runtime.stats()`. The metrics of plans have the label `plan`, the name of the
 * plan.
 */
export const runtimeMetrics: readonly RuntimeMetric[] = [
  whole(gauge('plans', 'Registered plans'), ({ plans }) => plans.length),
  whole(
    gauge('plans.unused', 'Plans of fleets that are not registered yet, because no caller has used them'),
    ({ unusedPlans }) => unusedPlans,
  ),
  whole(gauge('stages.distinct', 'Different stages; a shared stage counts once'), ({ stages }) => stages.distinct),
  whole(
    gauge('stages.used', 'Stages of all plans; a shared stage counts once for each plan'),
    ({ stages }) => stages.used,
  ),
  whole(
    gauge('parameter.bytes', 'Bytes of parameters; a shared parameter counts once'),
    (stats) => stats.parameters.bytes,
  ),
  whole(
    gauge('parameter.saved.bytes', 'Bytes that plans save because they share parameters'),
    (stats) => stats.parameters.savedBytes,
  ),
  whole(sumGauge('queue.rows', 'Rows that wait for an answer'), ({ queue }) => queue.rows),
  whole(sumGauge('queue.bytes', 'Bytes of rows that wait for an answer'), ({ queue }) => queue.bytes),
  whole(
    counter('queue.refused', 'Predictions that were rejected because of queue limits'),
    ({ queue }) => queue.refused,
  ),
  ...executorMetrics,
  ...poolMetrics,
  whole(
    sumGauge('isolation.workers', 'Worker threads for plans with operator deadlines'),
    ({ isolation }) => isolation?.workers,
  ),
  whole(
    sumGauge('isolation.tasks', 'Tasks that wait for an isolated worker or run on one'),
    ({ isolation }) => isolation?.tasks,
  ),
  whole(
    counter('isolation.ended', 'Isolated workers that were terminated because an operator exceeded its deadline'),
    ({ isolation }) => isolation?.ended,
  ),
  whole(counter('isolation.died', 'Isolated workers that ended unexpectedly'), ({ isolation }) => isolation?.died),
  whole(
    counter('shared.hits', 'Results of shared stages that were found in the cache'),
    ({ materialization }) => materialization?.hits,
  ),
  whole(
    counter('shared.misses', 'Results of shared stages that were not found in the cache'),
    ({ materialization }) => materialization?.misses,
  ),
  whole(
    sumGauge('shared.bytes', 'Bytes of cached results of shared stages'),
    ({ materialization }) => materialization?.bytes,
  ),
  {
    ...gauge('event.loop.lag', 'How late timers of the event loop fire'),
    unit: 's',
    labels: ['quantile'],
    read: ({ eventLoopLag }) => (eventLoopLag === undefined ? [] : quantiles({}, eventLoopLag)),
  },
  each(gauge('plan.parameter.bytes', 'Bytes of all parameters of a plan'), (plan) => plan.parameterBytes),
  each(gauge('plan.marginal.bytes', 'Bytes of parameters that no other plan uses'), (plan) => plan.marginalBytes),
  each(
    gauge('plan.attributed.bytes', 'Bytes of parameters; the bytes of a shared parameter are divided among its plans'),
    (plan) => plan.attributedBytes,
  ),
  {
    ...counter('calls', 'Calls by outcome; a batch or a block of a stream is one call'),
    labels: ['plan', 'outcome'],
    read: ({ plans }) =>
      plans.flatMap(({ name, calls }) =>
        OUTCOMES.map((outcome) => ({ labels: { plan: name, outcome }, value: calls[outcome] })),
      ),
  },
  {
    ...counter('operator.failures', 'Calls that failed in a custom operator'),
    labels: ['plan', 'operator'],
    read: ({ plans }) =>
      plans.flatMap(({ name, calls }) =>
        Object.entries(calls.failedOperators).map(([operator, value]) => ({ labels: { plan: name, operator }, value })),
      ),
  },
  each(gauge('plan.resting', '1 while a plan is in quarantine'), ({ quarantine }) => quarantine && +quarantine.resting),
  each(counter('cache.hits', 'Rows that were found in the prediction cache'), ({ cache }) => cache?.hits),
  each(counter('cache.misses', 'Rows that were not found in the prediction cache'), ({ cache }) => cache?.misses),
  each(
    counter('cache.evictions', 'Answers that were evicted from the prediction cache'),
    ({ cache }) => cache?.evictions,
  ),
  each(sumGauge('cache.entries', 'Answers in the prediction cache'), ({ cache }) => cache?.entries),
  each(sumGauge('cache.bytes', 'Bytes of the prediction cache'), ({ cache }) => cache?.bytes),
  each(counter('batching.blocks', 'Blocks of delayed batching that ran'), ({ batching }) => batching?.blocks),
  each(counter('batching.rows', 'Rows in blocks of delayed batching'), ({ batching }) => batching?.rows),
  each(
    sumGauge('batching.waiting.rows', 'Rows of delayed batching without an answer'),
    ({ batching }) => batching?.waiting,
  ),
  {
    ...gauge('latency', 'Time from call to answer'),
    unit: 's',
    labels: ['plan', 'verb', 'quantile'],
    read: ({ plans }) =>
      plans.flatMap(({ name, latencies = {} }) =>
        Object.entries(latencies).flatMap(([verb, times]) => quantiles({ plan: name, verb }, times)),
      ),
  },
  {
    ...gauge('stage.latency', 'Time of a stage for one row'),
    unit: 's',
    labels: ['plan', 'stage', 'operators', 'engine', 'quantile'],
    read: ({ plans }) =>
      plans.flatMap(({ name, stageLatencies = [] }) =>
        stageLatencies.flatMap(({ key, operators, engine, nanoseconds }) =>
          quantiles(
            { plan: name, stage: key.slice(0, SHOWN_KEY), operators: operators.join(' '), engine },
            nanoseconds,
          ),
        ),
      ),
  },
  ...qualityMetrics<RuntimeStatistics>('', 'plan', ({ plans }) => plans),
  ...deviceMetrics,
];

/**
 * The labels of metrics contain only this many characters of a stage's key, which are enough to
 * identify the stage.
 */
const SHOWN_KEY = 8;
