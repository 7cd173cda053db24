import { createFlour, createRuntime, explain } from 'brezel';
import { sentiment } from './program.js';

// 1. Write the program. Dictionaries and weights are stored once, in the object store of the
// FlourContext.
const flour = await createFlour();
const program = sentiment(flour);
console.log(`What we wrote:\n\n${program.toString()}\n`);

// 2. Compile it. Oven pushes the linear model through the concat, removes the concat, and forms
// stages.
console.log(`What Oven made of it:\n\n${explain(program)}\n`);
const plan = program.plan();

// 3. Serve it. The runtime shares stages among all plans; this example has one.
const runtime = createRuntime({ store: flour.store });
const handle = runtime.register(plan);

const lines = [
  '1,5,"Great little lamp, we love it!!!"',
  "2,2,It isn't bad but the app is slow",
  '3,1,"Not great, and then it ""fell apart"""',
  '4,4,A good and charming film',
];
for (const line of lines) {
  const { sentiment, probability } = runtime.predictSync(handle, line);
  console.log(`${String(sentiment).padEnd(8)}  ${Number(probability).toFixed(3)}  ${line}`);
}

// 4. Free everything.
await runtime.close();
plan.release();
flour.dispose();
