import { createFlour, createRuntime, defineOperator, type RuntimeOptions } from 'brezel';

/** Throws for the word "boom". */
const fussy = defineOperator({
  name: 'test/fussy',
  inputs: ['text'],
  output: 'float32',
  run: (text) => {
    if (text === 'boom') throw new Error('boom');
    return text.length;
  },
});

/** Creates a runtime with a plan that works and a plan that can fail. */
export async function serving(options: Omit<RuntimeOptions, 'store'> = {}) {
  const flour = await createFlour();
  const text = flour.columns({ text: 'string' }).select('text');
  const words = text.tokenize().wordNgram({ vocabulary: [['good'], ['bad']] });
  const runtime = createRuntime({ store: flour.store, ...options });
  const film = runtime.register(words.linear({ weights: [1, -1] }).plan(), {
    name: 'film',
    cache: { maxBytes: 4096 },
  });
  const broken = runtime.register(text.custom(fussy).plan(), { name: 'broken', quarantine: { failures: 2 } });
  return { flour, runtime, film, broken };
}
