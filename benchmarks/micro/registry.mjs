// What a route costs: predictSync by reference, against the runtime's own with a handle. A plan that hardly works, so that the way is what is seen.
import { createFlour, createRegistry, createRuntime } from 'brezel';
import { isQuick, measure } from '../lib/report.mjs';

const flour = await createFlour();
const text = flour.columns({ text: 'string' }).select('text');
const words = text.tokenize().wordNgram({ vocabulary: [['good'], ['bad']] });
const plans = [1, 2].map((bias) => words.logistic({ weights: [2, -2], bias }).plan());
const runtime = createRuntime({ store: flour.store });
const handle = runtime.register(plans[0]);

const registry = await createRegistry({ runtime });
for (let model = 0; model < 1000; model++) for (const plan of plans) registry.add(`model ${model}`, plan);
registry.canary('model 500', { to: 2, percent: 10 });

const out = new Float64Array(handle.width);
const options = { out };
const keyed = { out, key: 'user 7' };
const CALLS = isQuick ? 2_000 : 50_000;
const BLOCKS = isQuick ? 5 : 41;

/** Nanoseconds a call, as the median over blocks; the ways take turns, so that what disturbs one disturbs all. */
const ways = {
  'a handle': () => void runtime.predictSync(handle, '', out),
  'a version': () => void registry.predictSync('model 500@1', '', options),
  'an alias': () => void registry.predictSync('model 7', '', options),
  'an alias with a canary': () => void registry.predictSync('model 500', '', options),
  'an alias with a canary, by key': () => void registry.predictSync('model 500', '', keyed),
};
const nanoseconds = Object.fromEntries(Object.keys(ways).map((name) => [name, []]));
for (let block = 0; block < BLOCKS + 2; block++) {
  for (const [name, call] of Object.entries(ways)) {
    const start = process.hrtime.bigint();
    for (let turn = 0; turn < CALLS; turn++) call();
    if (block >= 2) nanoseconds[name].push(Number(process.hrtime.bigint() - start) / CALLS);
  }
}
for (const [name, all] of Object.entries(nanoseconds)) {
  all.sort((a, b) => a - b);
  const at = (/** @type {number} */ share) => all[Math.floor(share * (all.length - 1))];
  measure(`predictSync of an empty text (${handle.engine}): by ${name}`, 'ns', {
    median: at(0.5),
    p99: at(0.99),
    min: at(0),
    max: at(1),
    samples: all.length * CALLS,
  });
}
await registry.close();
await runtime.close();
