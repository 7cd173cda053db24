import { instrumentRuntime } from '@brezel/opentelemetry';
import { collectMetrics } from '@brezel/prom-client';
import { context, trace } from '@opentelemetry/api';
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks';
import { BasicTracerProvider, InMemorySpanExporter, SimpleSpanProcessor } from '@opentelemetry/sdk-trace-base';
import { type BrezelError, createFlour, createRuntime } from 'brezel';
import { Registry } from 'prom-client';
import { rates, reviewed } from './operators.js';

// 1. A service with two plans: one works, the other has a function that needs an external table.
const flour = await createFlour();
const text = flour.columns({ text: 'string' }).select('text');
const words = text.tokenize().wordNgram({ vocabulary: [['good'], ['bad']] });
const runtime = createRuntime({ store: flour.store, latencies: { sampleEvery: 1, stagesEvery: 1 } });
const film = runtime.register(words.logistic({ weights: [2, -2] }).plan(), { name: 'film', engine: 'auto' });
const review = runtime.register(text.custom(reviewed).plan(), { name: 'review', quarantine: { failures: 3 } });

// 2. Prometheus: the values of stats() at each scrape, and a histogram of predictions.
const registry = new Registry();
const metrics = collectMetrics(runtime, { registry });

// 3. OpenTelemetry: one span per prediction, as a child of the request's span. A real service
// exports them.
const exporter = new InMemorySpanExporter();
const provider = new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] });
context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());
trace.setGlobalTracerProvider(provider);
const instrumentation = instrumentRuntime(runtime);

await trace.getTracer('service').startActiveSpan('POST /reviews', async (request) => {
  await runtime.predictBatch(film, ['a good film', 'a bad film']);
  await runtime.predict(film, 'good, good, good');
  request.end();
});
console.log('Spans:');
const spans = exporter.getFinishedSpans();
const request = spans.find(({ parentSpanContext }) => parentSpanContext === undefined)!;
for (const { name, parentSpanContext, attributes } of [request, ...spans.filter((span) => span !== request)]) {
  const engine = attributes['brezel.engine'] && `${attributes['brezel.engine']}: ${attributes['brezel.engine.reason']}`;
  console.log(`${parentSpanContext === undefined ? '' : '  '}${name}${engine ? ` (${engine})` : ''}`);
}

// 4. The table becomes empty. After three failures in a row the plan is in quarantine; the other
// plan is not affected.
rates.clear();
const failures = new Map<string, number>();
for (let call = 0; call < 10; call++) {
  await runtime.predict(review, 'four').catch(({ code }: BrezelError) => {
    failures.set(code, (failures.get(code) ?? 0) + 1);
  });
}
console.log('\nTen calls of a plan that is broken:');
for (const [code, calls] of failures) console.log(`  ${calls} ${code}`);
console.log(`The other answers ${((await runtime.predict(film, 'good')).output as number[])[0]!.toFixed(3)}.`);

// 5. The text that Prometheus reads.
console.log('\nMetrics:');
const shown =
  /^brezel_(calls_total\{.*\} [1-9]|operator_failures|plan_resting|prediction_rows|parameter_(saved_)?bytes)/;
for (const line of (await registry.metrics()).split('\n')) if (shown.test(line)) console.log(`  ${line}`);

instrumentation.stop();
metrics.stop();
await provider.shutdown();
await runtime.close();
flour.dispose();
