import { createFlour, createRuntime } from '../wire.js';
import type { PartReport } from './part-report.js';

/** Describes, plans and answers a small program: by the addon where it loads, and in JavaScript. Both have to give the same bits. */
export async function tryCore(): Promise<PartReport> {
  try {
    const [usual, inJavaScript] = [await predict(true), await predict(false)];
    const what = usual.engine === 'native' ? 'the addon and JavaScript answer alike' : 'JavaScript answers';
    if (Object.is(usual.answer, inJavaScript.answer) && usual.answer > 0.5) return { works: true, what };
    return {
      works: false,
      what: 'wrong answers',
      why: `${usual.answer} by ${usual.engine} kernels and ${inJavaScript.answer} in JavaScript`,
      remedy: 'this is a fault in Brezel, please report it with the output of brezel doctor --json',
    };
  } catch (error) {
    return {
      works: false,
      what: 'no answers',
      why: (error as Error).message,
      remedy: 'install Brezel again: npm install brezel',
    };
  }
}

async function predict(native: boolean): Promise<{ readonly engine: string; readonly answer: number }> {
  using flour = await createFlour({ native });
  await using runtime = createRuntime({ store: flour.store, native });
  const plan = flour
    .columns({ text: 'string' })
    .select('text')
    .tokenize()
    .wordNgram({ vocabulary: [['good'], ['bad']] })
    .logistic({ weights: [2, -2] })
    .plan();
  const registered = runtime.register(plan);
  plan.release();
  const answer = runtime.predictSync(registered, { text: 'a good film' }, new Float64Array(registered.width));
  return { engine: registered.engine, answer: answer[0]! };
}
