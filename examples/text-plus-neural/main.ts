import { createFlour, createRuntime, explain } from 'brezel';
import { headNames, openHead } from './heads.js';
import { pipeline } from './program.js';

// Arguments: onnxruntime, tfjs, own (Brezel's own layers). The example uses all of them, or without
// arguments the first one that is available.
//   npm run example -- text-plus-neural tfjs own

const texts = [
  'A good and charming film',
  'Not good',
  'Not bad at all',
  'Slow, and the sound is awful',
  'It arrived on Monday',
];

const flour = await createFlour();
const asked = process.argv.slice(2);
for (const name of headNames) {
  if (asked.length > 0 && !asked.includes(name)) continue;

  // 1. Choose a backend for the neural part.
  const head = await openHead(name);
  if (head === undefined) continue;

  // 2. Make one plan: the white-box featurizer, then the network.
  const program = pipeline(flour, head.after);
  console.log(`${explain(program)}\n`);
  const plan = program.plan();
  const runtime = createRuntime({ store: flour.store, backends: head.backends });
  const handle = runtime.register(plan);
  plan.release();

  // 3. Predict: texts in, probabilities out.
  const answers = await runtime.predictBatch(handle, texts);
  console.log(`The head runs on ${head.where}:`);
  answers.forEach(({ positive }, row) => console.log(`  ${(positive as number).toFixed(3)}  ${texts[row]}`));

  // 4. Free everything.
  await runtime.close();
  await head.close();
  if (asked.length === 0) break;
}
flour.dispose();
