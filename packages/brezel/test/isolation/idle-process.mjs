// Child process of workers.test.ts. It predicts on a worker, and then has nothing more to do.
import { createFlour, createRuntime } from 'brezel';
import { moody } from './endless-operators.mjs';

const flour = await createFlour();
const runtime = createRuntime({
  store: flour.store,
  operatorModules: [new URL('./endless-operators.mjs', import.meta.url)],
});
const text = flour.columns({ text: 'string' }).select('text');
const plan = runtime.register(flour.program({ y: text.custom(moody) }).plan());
console.log(JSON.stringify(await runtime.predict(plan, 'idle')));
