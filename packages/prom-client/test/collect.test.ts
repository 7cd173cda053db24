import { channel } from 'node:diagnostics_channel';
import { collectMetrics, collectRegistryMetrics, collectSelectionMetrics } from '@brezel/prom-client';
import { createRegistry, registryMetrics, runtimeMetrics } from 'brezel';
import { Gauge, Registry, register } from 'prom-client';
import { afterAll, beforeEach, describe, expect, test } from 'vitest';
import { serving } from '../../../testing/failing-plan.js';

const { runtime, film, broken, flour } = await serving({
  latencies: { sampleEvery: 1, stagesEvery: 1 },
  eventLoopLag: true,
});
let registry = new Registry();

beforeEach(() => {
  registry = new Registry();
});
afterAll(async () => {
  await runtime.close();
  flour.dispose();
});

/** Returns the values of a metric by its labels, as Prometheus reads them. */
async function valuesOf(name: string, from: Registry = registry): Promise<Record<string, number>> {
  const text = await from.getSingleMetricAsString(name);
  const lines = text.split('\n').filter((line) => line !== '' && !line.startsWith('#'));
  const pairs = lines.map((line) => /^(\S*?)(\{.*\})? (\S+)$/.exec(line)!.slice(1) as [string, string, string]);
  return Object.fromEntries(pairs.map(([series, labels, value]) => [`${series}${labels ?? ''}`, Number(value)]));
}

describe('the values of stats()', () => {
  test('every metric of the runtime is exported, in base units', async () => {
    using metrics = collectMetrics(runtime, { registry, predictions: false });
    expect(metrics.names).toHaveLength(runtimeMetrics.length);
    for (const name of metrics.names) expect(name).toMatch(/^brezel_[a-z_]+$/);
    const stats = runtime.stats();
    expect(await valuesOf('brezel_plans')).toEqual({ brezel_plans: 2 });
    expect(await valuesOf('brezel_parameter_bytes')).toEqual({ brezel_parameter_bytes: stats.parameters.bytes });
    expect(await valuesOf('brezel_plan_marginal_bytes')).toEqual(
      Object.fromEntries(
        stats.plans.map((plan) => [`brezel_plan_marginal_bytes{plan="${plan.name}"}`, plan.marginalBytes]),
      ),
    );
    expect(await registry.getSingleMetricAsString('brezel_queue_refused_total')).toContain(
      '# TYPE brezel_queue_refused_total counter',
    );
  });

  test('executors, by kind', async () => {
    using _ = collectMetrics(runtime, { registry, predictions: false });
    const { shared, javascript } = runtime.stats().executors;
    expect(await valuesOf('brezel_executor_rows_total')).toEqual({
      'brezel_executor_rows_total{kind="native"}': shared.rows,
      'brezel_executor_rows_total{kind="javascript"}': javascript.rows,
    });
    expect(Object.keys(await valuesOf('brezel_executor_threads'))).toHaveLength(2);
  });

  test('vectors of executors', async () => {
    using _ = collectMetrics(runtime, { registry, predictions: false });
    const { shared } = runtime.stats().pools;
    for (const [name, value] of [
      ['brezel_pool_vectors', shared.vectors],
      ['brezel_pool_bytes', shared.bytes],
      ['brezel_pool_made_total', shared.made],
      ['brezel_pool_overflows_total', shared.overflows],
      ['brezel_pool_released_total', shared.released],
    ] as const)
      expect(await valuesOf(name)).toEqual({ [name]: value });
  });

  test('calls, caches and latencies at the time of the scrape', async () => {
    using _ = collectMetrics(runtime, { registry, predictions: false });
    const answered = 'brezel_calls_total{plan="film",outcome="answered"}';
    const before = (await valuesOf('brezel_calls_total'))[answered]!;
    for (let time = 0; time < 3; time++) runtime.predictSync(film, 'good');
    expect(() => runtime.predictSync(film, { text: 1 as never })).toThrow('expected text');
    const calls = await valuesOf('brezel_calls_total');
    expect(calls[answered]! - before).toBe(3);
    expect(calls['brezel_calls_total{plan="film",outcome="refused"}']).toBe(1);
    expect(await valuesOf('brezel_cache_hits_total')).toEqual({ 'brezel_cache_hits_total{plan="film"}': 2 });
    const latencies = await valuesOf('brezel_latency_seconds');
    const median = latencies['brezel_latency_seconds{plan="film",verb="predictSync",quantile="0.5"}']!;
    expect(median).toBeCloseTo(runtime.stats().plans[0]!.latencies!.predictSync!.p50 * 1e-9, 12);
    const stages = Object.keys(await valuesOf('brezel_stage_latency_seconds'));
    expect(
      stages.filter((series) => series.includes(`operators="tokenize ngram",engine="${film.engine}",quantile="0.99"`)),
    ).toHaveLength(1);
  });

  test('a plan in quarantine, and the operator that failed', async () => {
    using _ = collectMetrics(runtime, { registry, predictions: false });
    for (let time = 0; time < 2; time++) expect(() => runtime.predictSync(broken, 'boom')).toThrow('boom');
    expect(() => runtime.predictSync(broken, 'fine')).toThrow(
      expect.objectContaining({ code: 'ERR_RUNTIME_QUARANTINED' }),
    );
    expect(await valuesOf('brezel_plan_resting')).toEqual({ 'brezel_plan_resting{plan="broken"}': 1 });
    expect(await valuesOf('brezel_operator_failures_total')).toEqual({
      'brezel_operator_failures_total{plan="broken",operator="test/fussy"}': 2,
    });
    expect((await valuesOf('brezel_calls_total'))['brezel_calls_total{plan="broken",outcome="quarantined"}']).toBe(1);
    runtime.release(broken);
    expect(await valuesOf('brezel_plan_resting')).toEqual({ 'brezel_plan_resting{plan="broken"}': 0 });
  });

  test('the series of a removed plan disappear', async () => {
    using _ = collectMetrics(runtime, { registry, predictions: false });
    const words = flour.columns({ text: 'string' }).select('text').tokenize();
    const short = runtime.register(words.wordNgram({ vocabulary: [['good']] }).plan(), { name: 'short' });
    expect(await registry.metrics()).toContain('plan="short"');
    runtime.unregister(short);
    expect(await registry.metrics()).not.toContain('plan="short"');
  });
});

describe('a registry of models', () => {
  test('every metric of its stats() is exported, beside the metrics of its runtime', async () => {
    await using models = await createRegistry({ runtime, memoryBudgetBytes: 2 ** 30 });
    const words = flour.columns({ text: 'string' }).select('text').tokenize();
    const [good, bad] = ['good', 'bad'].map((word) => words.wordNgram({ vocabulary: [[word]] }).plan());
    models.add('word', { load: async () => ({ plan: good! }) });
    models.add('word', bad!);
    using own = collectMetrics(runtime, { registry, predictions: false });
    using metrics = collectRegistryMetrics(models, { registry });
    expect(metrics.names).toHaveLength(registryMetrics.length);
    for (const name of metrics.names) expect(name).toMatch(/^brezel_registry_[a-z_]+$/);
    expect(new Set([...own.names, ...metrics.names]).size).toBe(own.names.length + metrics.names.length);
    models.canary('word', { to: 2, percent: 100 });
    models.predictSync('word', 'good');
    models.shadow('word', { to: 2 });
    const { versions, bytes } = models.stats();
    expect(await valuesOf('brezel_registry_models')).toEqual({ brezel_registry_models: 1 });
    expect(await valuesOf('brezel_registry_bytes')).toEqual({ brezel_registry_bytes: bytes });
    expect(await valuesOf('brezel_registry_budget_bytes')).toEqual({ brezel_registry_budget_bytes: 2 ** 30 });
    expect(await valuesOf('brezel_registry_versions')).toMatchObject({
      'brezel_registry_versions{state="loaded"}': 1,
      'brezel_registry_versions{state="unloaded"}': 1,
    });
    expect(await valuesOf('brezel_registry_loaded_bytes')).toEqual({
      brezel_registry_loaded_bytes: versions[1]!.parameterBytes,
    });
    expect(await valuesOf('brezel_registry_version_requests_total')).toEqual({
      'brezel_registry_version_requests_total{version="word@1"}': 0,
      'brezel_registry_version_requests_total{version="word@2"}': 1,
    });
    expect(await valuesOf('brezel_registry_canary_requests_total')).toEqual({
      'brezel_registry_canary_requests_total{alias="word:default",version="word@2"}': 1,
    });
    expect(await valuesOf('brezel_registry_shadow_sample')).toEqual({
      'brezel_registry_shadow_sample{alias="word:default",version="word@2"}': 1,
    });
    metrics.stop();
    expect(await registry.metrics()).not.toContain('brezel_registry_');
    expect(await registry.metrics()).toContain('brezel_plans');
  });
});

describe('predictions', () => {
  test('of merged plans are one prediction for each plan', async () => {
    using _ = collectMetrics(runtime, { registry });
    const words = flour.columns({ text: 'string' }).select('text').tokenize();
    const owned = words
      .wordNgram({ vocabulary: [['good'], ['bad']] })
      .linear({ weights: [2, -2] })
      .plan();
    const twin = runtime.register(owned, { name: 'twin' });
    owned.release();
    runtime.predictManySync([film, twin], 'good');
    await runtime.predictMany([film, twin], 'good');
    const labels = 'plan="film + twin",verb="predictMany"';
    expect(await valuesOf('brezel_prediction_rows_total')).toEqual({
      [`brezel_prediction_rows_total{${labels},engine="request-response"}`]: 2,
    });
    expect((await valuesOf('brezel_prediction_seconds'))[`brezel_prediction_seconds_count{${labels}}`]).toBe(2);
    runtime.unregister(twin);
  });

  test('times, rows and errors of every verb', async () => {
    using _ = collectMetrics(runtime, { registry, buckets: [1e-9, 60] });
    runtime.predictSync(film, 'good');
    runtime.predictManySync([film], 'good');
    await runtime.predict(film, 'good');
    await runtime.predictBatch(film, ['good', 'bad', 'good']);
    await runtime.predictBatch(film, ['good', 'bad'], { engine: 'auto' });
    for await (const answer of runtime.predictStream(film, ['good'])) expect(answer).toEqual({ output: [1] });
    await expect(runtime.predictBatch(film, [{ text: 1 as never }])).rejects.toThrow();
    await expect(runtime.predict(film, 'x', { signal: AbortSignal.abort() })).rejects.toThrow();
    expect(await valuesOf('brezel_prediction_rows_total')).toEqual({
      'brezel_prediction_rows_total{plan="film",verb="predictSync",engine="request-response"}': 1,
      'brezel_prediction_rows_total{plan="film",verb="predictMany",engine="request-response"}': 1,
      'brezel_prediction_rows_total{plan="film",verb="predict",engine="request-response"}': 1,
      'brezel_prediction_rows_total{plan="film",verb="predictBatch",engine="batch"}': 3,
      'brezel_prediction_rows_total{plan="film",verb="predictBatch",engine="request-response"}': 2,
      'brezel_prediction_rows_total{plan="film",verb="predictStream",engine="batch"}': 1,
    });
    const seconds = await valuesOf('brezel_prediction_seconds');
    const series = (part: string, more = '') =>
      `brezel_prediction_seconds_${part}{${more}plan="film",verb="predictBatch"}`;
    expect(seconds[series('count')]).toBe(2);
    expect(seconds[series('bucket', 'le="60",')]).toBe(2);
    expect(seconds[series('bucket', 'le="1e-9",')]).toBe(0);
    expect(seconds[series('sum')]).toBeGreaterThan(1e-6);
    expect(await valuesOf('brezel_prediction_errors_total')).toEqual({
      'brezel_prediction_errors_total{plan="film",verb="predictBatch",code="ERR_RUNTIME_INPUT"}': 1,
    });
  });

  test('are those of its own runtime only', async () => {
    const other = await serving();
    const second = new Registry();
    using _ = collectMetrics(runtime, { registry });
    using __ = collectMetrics(other.runtime, { registry: second });
    other.runtime.predictSync(other.film, 'good');
    expect(await valuesOf('brezel_prediction_rows_total')).toEqual({});
    const series = 'brezel_prediction_rows_total{plan="film",verb="predictSync",engine="request-response"}';
    expect(await valuesOf('brezel_prediction_rows_total', second)).toEqual({ [series]: 1 });
    await other.runtime.close();
    other.flour.dispose();
  });
});

describe('registering', () => {
  test('stop removes all metrics and listeners', async () => {
    const metrics = collectMetrics(runtime, { registry, prefix: 'scores_' });
    expect(registry.getMetricsAsArray().map(({ name }) => name)).toEqual(metrics.names);
    expect(metrics.names).toContain('scores_prediction_seconds');
    expect(channel('brezel:predict:end').hasSubscribers).toBe(true);
    metrics.stop();
    metrics.stop();
    expect(registry.getMetricsAsArray()).toEqual([]);
    expect(channel('brezel:predict:end').hasSubscribers).toBe(false);
    expect(channel('brezel:predict:error').hasSubscribers).toBe(false);
  });

  test('a duplicate name is rejected, and nothing stays registered', () => {
    const taken = new Gauge({ name: 'brezel_prediction_rows_total', help: 'mine', registers: [registry] });
    expect(() => collectMetrics(runtime, { registry })).toThrow('already been registered');
    expect(registry.getMetricsAsArray()).toEqual([taken]);
    expect(channel('brezel:predict:end').hasSubscribers).toBe(false);
  });

  test('the global registry is used by default', () => {
    const metrics = collectMetrics(runtime, { predictions: false });
    expect(register.getSingleMetric('brezel_plans')).toBeDefined();
    metrics.stop();
    expect(register.getSingleMetric('brezel_plans')).toBeUndefined();
  });

  test('a closed runtime has no values', async () => {
    const other = await serving();
    using _ = collectMetrics(other.runtime, { registry });
    await other.runtime.close();
    expect(await valuesOf('brezel_plans')).toEqual({ brezel_plans: 0 });
    other.flour.dispose();
  });
});

test('selections: weights appear when the store answers, and labels of the candidates are kept apart', async () => {
  const counts = {
    ...{ requests: 4, answered: 3, fallbacks: 1, unanswered: 1, feedback: 2, refused: 0, waiting: 1, expired: 0 },
    ...{ totalConfidence: 1.5, totalLoss: 0.5, regret: -0.25 },
    candidates: { a: { asked: 3, late: 1, failed: 0, loss: 0.25 }, b: { asked: 1, late: 0, failed: 1, loss: 1 } },
  };
  let isAway = false;
  const film = {
    stats: () => counts,
    async weights({ deadlineMs }: { readonly deadlineMs: number }) {
      expect(deadlineMs).toBe(1000); // the selection limits the time of its store
      if (isAway) throw new Error('the store is away');
      return { a: 0.75, b: 0.25 };
    },
  };
  const metrics = collectSelectionMetrics({ film }, { registry });
  for (const name of metrics.names) expect(name).toMatch(/^brezel_selection_[a-z_]+$/);
  const weights = 'brezel_selection_candidate_weight';
  expect(await valuesOf(weights)).toEqual({
    [`${weights}{selection="film",candidate="a"}`]: 0.75,
    [`${weights}{selection="film",candidate="b"}`]: 0.25,
  });
  isAway = true;
  expect(await valuesOf(weights)).toEqual({});
  const asked = 'brezel_selection_candidate_requests_total';
  expect(await valuesOf(asked)).toEqual({
    [`${asked}{selection="film",candidate="a"}`]: 3,
    [`${asked}{selection="film",candidate="b"}`]: 1,
  });
  expect(await valuesOf('brezel_selection_regret')).toEqual({ 'brezel_selection_regret{selection="film"}': -0.25 });
  expect(() => collectSelectionMetrics({ film }, { registry })).toThrow('already been registered');
  metrics.stop();
  expect(await registry.metrics()).not.toContain('brezel_selection');
});
