import { createFlour, createRuntime, explain } from 'brezel';
import { headNames, openHead } from './heads.js';
import { featurizer } from './program.js';

// npm run example -- text-plus-neural            the head runs on the first of onnxruntime, tfjs and our own layers that is there
// npm run example -- text-plus-neural tfjs own   on each of these

// 1. The white part: a featurizer is a plan like any other.
const flour = await createFlour();
const program = featurizer(flour);
console.log(`${explain(program)}\n`);
const plan = program.plan();
const runtime = createRuntime({ store: flour.store });
const handle = runtime.register(plan);

const texts = [
  'A good and charming film',
  'Not good',
  'Not bad at all',
  'Slow, and the sound is awful',
  'It arrived on Monday',
];

// 2. Featurize all rows: one block of numbers, as neural networks want it.
const answers = await runtime.predictBatch(handle, texts);
const features = Float32Array.from(answers.flatMap((answer) => answer.features as number[]));

// 3. The neural part, wherever there is something to run it.
const asked = process.argv.slice(2);
for (const name of headNames) {
  if (asked.length > 0 && !asked.includes(name)) continue;
  const head = await openHead(name, flour);
  if (head === undefined) continue;
  const positive = await head.predict(features, texts.length);
  console.log(`The head runs on ${head.where}:`);
  texts.forEach((text, row) => console.log(`  ${positive[row]!.toFixed(3)}  ${text}`));
  await head.close();
  if (asked.length === 0) break;
}

// 4. Give everything back.
await runtime.close();
plan.release();
flour.dispose();
