import { type BrezelError, createFlour, createRuntime, explain } from 'brezel';
import { daysBetween, loudness } from './operators.js';

// 1. Write the program. A custom operator is a function of one row's values, typed like every other
// step.
const flour = await createFlour();
const ticket = flour.columns({ text: 'string', opened: 'string', today: 'string' });
const text = ticket.select('text');
const waited = flour.custom(daysBetween, [ticket.select('opened'), ticket.select('today')]);
const features = text
  .stringNormalize()
  .tokenize()
  .wordNgram({ vocabulary: [['refund'], ['thanks']] })
  .concat(text.custom(loudness, { attributes: { marks: '!?' } }), waited.asVector());
const angry = features.logistic({ weights: [1, -2, 3, 0.5, 0.1], bias: -2 });
const program = flour.program({ angry });

// 2. Compile it. Each function becomes one stage in JavaScript; the stages before and after it stay
// in the addon.
console.log(`${explain(program)}\n`);
const runtime = createRuntime({ store: flour.store });
const plan = program.plan();
const handle = runtime.register(plan);

const today = '2024-03-01';
const tickets = [
  { text: 'where is my parcel', opened: '2024-03-01', today },
  { text: 'REFUND!! NOW', opened: '2024-02-15', today },
  { text: 'it works', opened: '2024-03-01', today },
];
for (const row of tickets) {
  const [probability] = runtime.predictSync(handle, row).angry as number[];
  console.log(`${(probability! > 0.5 ? 'angry' : 'calm').padEnd(5)}  ${probability!.toFixed(3)}  ${row.text}`);
}

// 3. A function can reject a row: the error names the row and the reason.
const damaged = [tickets[0]!, { ...tickets[1]!, opened: 'last week' }];
await runtime.predictBatch(handle, damaged).catch((error: BrezelError) => {
  console.log(`\n${error.code}: ${error.message}\n  hint: ${error.hint}`);
});

await runtime.close();
plan.release();
flour.dispose();
