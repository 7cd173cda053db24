import type { Percentiles } from '../percentiles.js';
import type { PlanStatistics, RuntimeStatistics } from '../statistics.js';
import { deviceMetrics } from './device-metrics.js';
import { executorMetrics } from './executor-metrics.js';
import type { Reading, RuntimeMetric } from './metric.js';
import { poolMetrics } from './pool-metrics.js';
import { qualityMetrics } from './quality-metrics.js';

export type { Metric, Reading, RuntimeMetric } from './metric.js';

type Description = Pick<RuntimeMetric, 'name' | 'kind' | 'help'>;

const gauge = (name: string, help: string): Description => ({ name, kind: 'gauge', help });
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
 * The metrics of `runtime.stats()`. The label of a reading is the name of the plan.
 */
export const runtimeMetrics: readonly RuntimeMetric[] = [
  whole(gauge('plans', 'Registered plans'), ({ plans }) => plans.length),
  whole(gauge('stages.distinct', 'Physical stages, shared ones counted once'), ({ stages }) => stages.distinct),
  whole(gauge('stages.used', 'Stages of all plans, as if none were shared'), ({ stages }) => stages.used),
  whole(gauge('parameter.bytes', 'Bytes of parameters, shared ones counted once'), (stats) => stats.parameters.bytes),
  whole(
    gauge('parameter.saved.bytes', 'Bytes of parameters that sharing saves'),
    (stats) => stats.parameters.savedBytes,
  ),
  whole(gauge('queue.rows', 'Rows that wait for an answer'), ({ queue }) => queue.rows),
  whole(gauge('queue.bytes', 'Bytes of rows that wait for an answer'), ({ queue }) => queue.bytes),
  whole(counter('queue.refused', 'Predictions that queue limits refused'), ({ queue }) => queue.refused),
  ...executorMetrics,
  ...poolMetrics,
  whole(gauge('isolation.workers', 'Worker threads of plans with deadlines'), ({ isolation }) => isolation?.workers),
  whole(gauge('isolation.tasks', 'Tasks that wait for them or run there'), ({ isolation }) => isolation?.tasks),
  whole(
    counter('isolation.ended', 'Workers ended because a function did not end'),
    ({ isolation }) => isolation?.ended,
  ),
  whole(counter('isolation.died', 'Workers that died by themselves'), ({ isolation }) => isolation?.died),
  whole(
    counter('shared.hits', 'Results of shared stages that were kept'),
    ({ materialization }) => materialization?.hits,
  ),
  whole(counter('shared.misses', 'Results that were not'), ({ materialization }) => materialization?.misses),
  whole(gauge('shared.bytes', 'Bytes of kept results'), ({ materialization }) => materialization?.bytes),
  {
    ...gauge('event.loop.lag', 'How much later than they should timers fire'),
    unit: 's',
    labels: ['quantile'],
    read: ({ eventLoopLag }) => (eventLoopLag === undefined ? [] : quantiles({}, eventLoopLag)),
  },
  each(gauge('plan.parameter.bytes', 'Bytes of all parameters of a plan'), (plan) => plan.parameterBytes),
  each(gauge('plan.marginal.bytes', 'Bytes that no other plan needs'), (plan) => plan.marginalBytes),
  each(gauge('plan.attributed.bytes', 'Bytes with shared ones divided among plans'), (plan) => plan.attributedBytes),
  {
    ...counter('calls', 'Calls by how they ended; a batch and a block of a stream are one'),
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
  each(counter('cache.hits', 'Rows that were in the prediction cache'), ({ cache }) => cache?.hits),
  each(counter('cache.misses', 'Rows that were not'), ({ cache }) => cache?.misses),
  each(counter('cache.evictions', 'Answers that left the prediction cache'), ({ cache }) => cache?.evictions),
  each(gauge('cache.entries', 'Answers in the prediction cache'), ({ cache }) => cache?.entries),
  each(gauge('cache.bytes', 'Bytes of the prediction cache'), ({ cache }) => cache?.bytes),
  each(counter('batching.blocks', 'Blocks of delayed batching that ran'), ({ batching }) => batching?.blocks),
  each(counter('batching.rows', 'Rows in them'), ({ batching }) => batching?.rows),
  each(gauge('batching.waiting.rows', 'Rows that delayed batching lets wait'), ({ batching }) => batching?.waiting),
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
    ...gauge('stage.latency', 'Time of a stage by row'),
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
