import { type Answer, createFlour, createRuntime, importMlNet, type MlNetOptions } from 'brezel';

/**
 * Returns the answers of an archive. Fails if the reference implementations return other answers.
 */
export async function answersOf(
  bytes: Uint8Array,
  rows: readonly object[],
  options: MlNetOptions = {},
): Promise<Answer[]> {
  using flour = await createFlour();
  await using runtime = createRuntime({ store: flour.store, executors: 0 });
  const plan = runtime.register(importMlNet(bytes, flour, options).program.plan());
  const answers = await runtime.predictBatch(plan, rows as never);
  const reference = await runtime.predictBatch(plan, rows as never, { engine: 'reference' });
  if (JSON.stringify(reference) !== JSON.stringify(answers)) throw new Error('the reference answers otherwise');
  return answers;
}

/** Returns the error of an import, and the number of objects that it left in the store. */
export async function faultOf(
  bytes: Uint8Array,
  options: MlNetOptions = {},
): Promise<{ code: string; message: string; left: number }> {
  using flour = await createFlour();
  try {
    importMlNet(bytes, flour, options);
  } catch (error) {
    const { code, message } = error as Error & { code: string };
    return { code, message, left: flour.store.stats().objects };
  }
  throw new Error('nothing was thrown');
}
