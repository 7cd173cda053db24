// What a call costs beside its work: a dictionary of two words, and texts that cost hardly more than the way to the addon and back.
import { createFlour, createRuntime } from 'brezel';
import { Bench } from 'tinybench';
import { isQuick, measure } from '../lib/report.mjs';
import { reviews } from '../lib/workload.mjs';

const flour = await createFlour();
const text = flour.columns({ text: 'string' }).select('text');
const compiled = text
  .tokenize()
  .wordNgram({ vocabulary: [['good'], ['bad']] })
  .logistic({ weights: [2, -2] })
  .plan();
const runtime = createRuntime({ store: flour.store });
const plan = runtime.register(compiled);

const out = new Float64Array(plan.width);
const [review] = reviews(1);
const bytes = new TextEncoder().encode(review);
const row = { text: 'a good film' };
const bytesRow = { text: bytes };

const bench = new Bench({ time: isQuick ? 50 : 1000, warmupTime: isQuick ? 20 : 200 });
bench
  .add('nothing (the cost of measuring)', () => {})
  .add('empty text, out-array', () => void runtime.predictSync(plan, '', out))
  .add('empty text, answer object', () => void runtime.predictSync(plan, ''))
  .add('3 words, out-array', () => void runtime.predictSync(plan, 'a good film', out))
  .add('3 words as a row object, answer object', () => void runtime.predictSync(plan, row))
  .add('100 words, out-array', () => void runtime.predictSync(plan, review, out))
  .add('100 words as UTF-8 bytes in a row object, out-array', () => void runtime.predictSync(plan, bytesRow, out));
await bench.run();

for (const { name, result } of bench.tasks) {
  if (result.state !== 'completed') throw new Error(name, { cause: result.error });
  const { p50, p99, min, max, samplesCount } = result.latency;
  measure(`predictSync, two-word dictionary (${plan.engine}): ${name}`, 'ns', {
    median: p50 * 1e6,
    p99: p99 * 1e6,
    min: min * 1e6,
    max: max * 1e6,
    samples: samplesCount,
  });
}
