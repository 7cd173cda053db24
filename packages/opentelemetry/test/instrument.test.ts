import { channel } from 'node:diagnostics_channel';
import { instrumentRegistry, instrumentRuntime } from '@brezel/opentelemetry';
import { context, type Meter, ROOT_CONTEXT, SpanStatusCode } from '@opentelemetry/api';
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks';
import {
  AggregationTemporality,
  InMemoryMetricExporter,
  MeterProvider,
  PeriodicExportingMetricReader,
} from '@opentelemetry/sdk-metrics';
import {
  BasicTracerProvider,
  InMemorySpanExporter,
  type ReadableSpan,
  SimpleSpanProcessor,
} from '@opentelemetry/sdk-trace-base';
import { createRegistry, registryMetrics, runtimeMetrics } from 'brezel';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { serving } from '../../../testing/failing-plan.js';

const { runtime, film, broken, flour } = await serving({ latencies: { sampleEvery: 1, stagesEvery: 1 } });
const spans = new InMemorySpanExporter();
const tracers = new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(spans)] });
const tracer = tracers.getTracer('test');

beforeAll(() => {
  context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());
});
afterEach(() => spans.reset());
afterAll(async () => {
  context.disable();
  await tracers.shutdown();
  await runtime.close();
  flour.dispose();
});

/** Returns the finished spans, without the span of the test. */
const told = () => spans.getFinishedSpans().filter(({ name }) => name !== 'request');

/** Runs a function below a span of the test. Returns this span. */
async function inRequest(run: () => Promise<unknown>): Promise<ReadableSpan> {
  await tracer.startActiveSpan('request', async (span) => {
    await run();
    span.end();
  });
  return spans.getFinishedSpans().find(({ name }) => name === 'request')!;
}

describe('spans', () => {
  test('a prediction is a child of the span that was active at the call', async () => {
    using _ = instrumentRuntime(runtime, { tracer, statistics: false });
    const request = await inRequest(() => runtime.predictBatch(film, ['good', 'bad'], { engine: 'auto' }));
    const [span, ...others] = told();
    expect(others).toEqual([]);
    expect(span!.name).toBe('predictBatch film');
    expect(span!.parentSpanContext!.spanId).toBe(request.spanContext().spanId);
    expect(span!.attributes).toMatchObject({
      'brezel.plan': 'film',
      'brezel.verb': 'predictBatch',
      'brezel.rows': 2,
      'brezel.engine': 'request-response',
      'brezel.engine.reason': 'few rows of little work',
      'brezel.queued': expect.any(Number),
    });
    expect(span!.status.code).toBe(SpanStatusCode.UNSET);
    expect(span!.events.map(({ name }) => name)).toEqual(['start']);
    expect(span!.ended).toBe(true);
  });

  test("a prediction is a child of its caller's span, also if other calls start the rows", async () => {
    const gathered = runtime.register(filmPlan(), {
      name: 'gathered',
      batching: { maxDelayMs: 5 },
    });
    using _ = instrumentRuntime(runtime, { tracer, statistics: false });
    const [one, two] = await Promise.all(
      ['good', 'bad'].map(async (text) => {
        let parent: string | undefined;
        await context.with(ROOT_CONTEXT, () =>
          tracer.startActiveSpan('request', async (span) => {
            parent = span.spanContext().spanId;
            await runtime.predict(gathered, text);
            span.end();
          }),
        );
        return parent;
      }),
    );
    const children = told();
    expect(children.map(({ parentSpanContext }) => parentSpanContext!.spanId).sort()).toEqual([one, two].sort());
    for (const { events, attributes } of children) {
      expect(events.map(({ name }) => name)).toEqual(['queued', 'start']);
      expect(attributes['brezel.engine.reason']).toBe('gathered with other calls');
      expect(attributes['brezel.queued']).toBeGreaterThan(0);
    }
    runtime.unregister(gathered);
  });

  test('a prediction that fails', async () => {
    using _ = instrumentRuntime(runtime, { tracer, statistics: false });
    await expect(runtime.predictBatch(broken, ['fine', 'boom'])).rejects.toThrow('boom');
    const [span] = told();
    expect(span!.status).toMatchObject({ code: SpanStatusCode.ERROR, message: expect.stringContaining('boom') });
    expect(span!.attributes['error.type']).toBe('ERR_RUNTIME_CUSTOM');
    expect(span!.events.map(({ name }) => name)).toEqual(['start', 'exception']);
    runtime.release(broken);
  });

  test('predictSync has no span by default, and other runtimes have no spans', async () => {
    const other = await serving();
    {
      using _ = instrumentRuntime(runtime, { tracer, statistics: false });
      runtime.predictSync(film, 'good');
      await other.runtime.predict(other.film, 'good');
      expect(told()).toEqual([]);
    }
    using _ = instrumentRuntime(runtime, { tracer, statistics: false, spans: ['predictSync'] });
    runtime.predictSync(film, 'good');
    await runtime.predict(film, 'good');
    expect(told().map(({ name }) => name)).toEqual(['predictSync film']);
    await other.runtime.close();
    other.flour.dispose();
  });

  test('streams have a span for each block', async () => {
    using _ = instrumentRuntime(runtime, { tracer, statistics: false });
    for await (const answer of runtime.predictStream(film, ['good', 'good', 'good'], { maxBatch: 2 }))
      expect(answer).toEqual({ output: [1] });
    expect(told().map(({ name, attributes }) => [name, attributes['brezel.rows']])).toEqual([
      ['predictStream film', 2],
      ['predictStream film', 1],
    ]);
  });

  test('the span of a plan that is removed during a call ends, too', async () => {
    using _ = instrumentRuntime(runtime, { tracer, statistics: false });
    const slow = runtime.register({ ...filmPlan(), nanosPerRow: 2e6 }, { name: 'removed' });
    const running = runtime.predictBatch(slow, ['good', 'good']);
    runtime.unregister(slow);
    await expect(running).rejects.toMatchObject({ code: 'ERR_RUNTIME_UNKNOWN_PLAN' });
    expect(told().map(({ attributes }) => attributes['error.type'])).toEqual(['ERR_RUNTIME_UNKNOWN_PLAN']);
  });

  test('stop ends open spans and removes all listeners', async () => {
    const instrumentation = instrumentRuntime(runtime, { tracer, statistics: false });
    const slow = runtime.register({ ...filmPlan(), nanosPerRow: 2e6 }, { name: 'slow' });
    const waiting = runtime.predict(slow, 'good');
    instrumentation.stop();
    instrumentation.stop();
    await waiting;
    expect(told().map(({ name }) => name)).toEqual(['predict slow']);
    for (const step of ['queued', 'start', 'end', 'error'])
      expect(channel(`brezel:predict:${step}`).hasSubscribers).toBe(false);
    runtime.unregister(slow);
  });
});

describe('metrics', () => {
  /** Returns the points that the SDK collects, by metric. */
  async function collected(run: () => Promise<unknown>, options: Parameters<typeof instrumentRuntime>[1] = {}) {
    return exported((meter) => instrumentRuntime(runtime, { meter, spans: [], ...options }), run);
  }

  async function exported(instrument: (meter: Meter) => Disposable, run: () => Promise<unknown>) {
    const exporter = new InMemoryMetricExporter(AggregationTemporality.CUMULATIVE);
    const reader = new PeriodicExportingMetricReader({ exporter, exportIntervalMillis: 60_000 });
    const meters = new MeterProvider({ readers: [reader] });
    using _ = instrument(meters.getMeter('test'));
    await run();
    await meters.forceFlush();
    const metrics = exporter.getMetrics().flatMap(({ scopeMetrics }) => scopeMetrics.flatMap((scope) => scope.metrics));
    await meters.shutdown();
    return new Map(metrics.map((metric) => [metric.descriptor.name, metric]));
  }

  test('observable instruments have the values of stats()', async () => {
    const metrics = await collected(async () => runtime.predictSync(film, 'good'), { durations: false });
    const stats = runtime.stats();
    expect(metrics.get('brezel.plans')!.dataPoints.map(({ value }) => value)).toEqual([stats.plans.length]);
    const marginal = metrics.get('brezel.plan.marginal.bytes')!.dataPoints;
    expect(Object.fromEntries(marginal.map(({ attributes, value }) => [attributes['brezel.plan'], value]))).toEqual(
      Object.fromEntries(stats.plans.map((plan) => [plan.name, plan.marginalBytes])),
    );
    const answered = metrics
      .get('brezel.calls')!
      .dataPoints.find(
        ({ attributes }) => attributes['brezel.plan'] === 'film' && attributes['brezel.outcome'] === 'answered',
      );
    expect(answered!.value).toBe(stats.plans.find(({ name }) => name === 'film')!.calls.answered);
    expect(metrics.get('brezel.stage.latency')!.descriptor.unit).toBe('s');
    const names = new Set(runtimeMetrics.map(({ name }) => `brezel.${name}`));
    for (const name of metrics.keys()) expect(names).toContain(name);
  });

  test('observable instruments of a registry have the values of its stats()', async () => {
    await using models = await createRegistry({ runtime });
    models.add('word', filmPlan());
    const metrics = await exported(
      (meter) => instrumentRegistry(models, { meter }),
      async () => models.predictSync('word', 'good'),
    );
    const points = (name: string) =>
      metrics.get(`brezel.registry.${name}`)!.dataPoints.map(({ attributes, value }) => [attributes, value]);
    expect(points('version.requests')).toEqual([[{ 'brezel.version': 'word@1' }, 1]]);
    expect(points('alias.requests')).toEqual([[{ 'brezel.alias': 'word:default' }, 1]]);
    expect(points('bytes')).toEqual([[{}, models.stats().bytes]]);
    const names = new Set(registryMetrics.map(({ name }) => `brezel.${name}`));
    for (const name of metrics.keys()) expect(names).toContain(name);
  });

  test('durations by plan, verb, engine and error', async () => {
    const metrics = await collected(
      async () => {
        for (let time = 0; time < 3; time++) runtime.predictSync(film, 'good');
        await expect(runtime.predict(film, { text: 1 as never })).rejects.toThrow();
      },
      { statistics: false },
    );
    expect([...metrics.keys()]).toEqual(['brezel.prediction.duration']);
    const points = metrics.get('brezel.prediction.duration')!.dataPoints;
    expect(points.map(({ attributes, value }) => [attributes, (value as { count: number }).count])).toEqual([
      [{ 'brezel.plan': 'film', 'brezel.verb': 'predictSync', 'brezel.engine': 'request-response' }, 3],
      [
        {
          'brezel.plan': 'film',
          'brezel.verb': 'predict',
          'brezel.engine': 'request-response',
          'error.type': 'ERR_RUNTIME_INPUT',
        },
        1,
      ],
    ]);
  });

  test('without an SDK, predictions work', () => {
    using _ = instrumentRuntime(runtime);
    expect(runtime.predictSync(film, 'good')).toEqual({ output: [1] });
  });
});

/** Returns a new plan, for a registration with other options. */
function filmPlan() {
  const words = flour
    .columns({ text: 'string' })
    .select('text')
    .tokenize()
    .wordNgram({ vocabulary: [['good'], ['bad']] });
  return words.linear({ weights: [1, -1] }).plan();
}
