import { createFlour, createRuntime } from '../wire.js';
import type { PartReport } from './part-report.js';

/**
 * Runs a small program in the addon, if it loads, and in JavaScript. The two answers must have the
 * same bits.
 */
export async function tryCore(): Promise<PartReport> {
  try {
    const [usual, inJavaScript] = [await predict(undefined), await predict(false)];
    const what = usual.engine === 'native' ? 'the addon and JavaScript give the same answer' : 'JavaScript works';
    if (Object.is(usual.answer, inJavaScript.answer) && usual.answer > 0.5) return { works: true, what };
    return {
      works: false,
      what: 'wrong answers',
      why: `expected equal answers, received ${usual.answer} (${usual.engine}) and ${inJavaScript.answer} (JavaScript)`,
      remedy: 'this is a bug in Brezel: please report it with the output of brezel doctor --json',
    };
  } catch (error) {
    return {
      works: false,
      what: 'no answer',
      why: (error as Error).message,
      remedy: 'reinstall Brezel: npm install brezel',
    };
  }
}

async function predict(native: boolean | undefined): Promise<{ readonly engine: string; readonly answer: number }> {
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
