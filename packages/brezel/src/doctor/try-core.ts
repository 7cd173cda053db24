import type { Answer } from '@brezel/core';
import { createFlour, createRuntime } from '../wire.js';
import type { PartReport } from './part-report.js';

const names = { native: 'the addon', wasm: 'WebAssembly', mixed: 'a mixed plan', javascript: 'JavaScript' } as const;

/**
 * Runs a small program in the addon, if it loads, in WebAssembly, if it is available, and with
 * reference implementations. All answers must have the same bits.
 */
export async function tryCore(): Promise<PartReport> {
  try {
    const found = [...(await predict(undefined)), ...(await predict(false))];
    const byEngine = new Map(found.map(({ engine, answer }) => [engine, answer]));
    const engines = [...byEngine.keys()];
    const answers = new Set(byEngine.values());
    const [answer] = answers;
    if (answers.size === 1 && answer! > 0.5) {
      const list = engines.length > 1 ? `${engines.slice(0, -1).join(', ')} and ${engines.at(-1)}` : engines[0];
      return { works: true, what: engines.length > 1 ? `${list} give the same answer` : `${list} works` };
    }
    const received = Array.from(byEngine, ([engine, answer]) => `${answer} (${engine})`).join(', ');
    return {
      works: false,
      what: 'wrong answers',
      why: `expected equal answers, received ${received}`,
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

/** Returns the answers of the plan's engine and of the reference implementations. */
async function predict(native: boolean | undefined): Promise<{ readonly engine: string; readonly answer: number }[]> {
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
  const row = { text: 'a good film' };
  const [reference] = await runtime.predictBatch(registered, [row], { engine: 'reference' });
  return [
    { engine: names[registered.engine], answer: scoreOf(runtime.predictSync(registered, row)) },
    { engine: names.javascript, answer: scoreOf(reference!) },
  ];
}

/** Returns the only number of an answer. */
const scoreOf = (answer: Answer): number => [Object.values(answer)[0]].flat()[0] as number;
