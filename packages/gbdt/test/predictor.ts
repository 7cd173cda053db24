import { type Answer, createFlour, createRuntime, type ImportedGbdt } from 'brezel';

type Importer = (flour: Awaited<ReturnType<typeof createFlour>>) => ImportedGbdt;

/**
 * Returns the answers of an imported model. Fails if the reference implementations return other
 * answers.
 */
export async function answersOf(importer: Importer, rows: readonly (readonly number[])[]): Promise<Answer[]> {
  using flour = await createFlour();
  await using runtime = createRuntime({ store: flour.store, executors: 0 });
  const plan = runtime.register(importer(flour).program.plan());
  const given = rows.map((x) => ({ x }));
  const answers = await runtime.predictBatch(plan, given);
  const reference = await runtime.predictBatch(plan, given, { engine: 'reference' });
  if (JSON.stringify(reference) !== JSON.stringify(answers)) throw new Error('the reference answers otherwise');
  return answers;
}

/** Returns the error of an importer, and the number of objects that it left in the store. */
export async function faultOf(importer: Importer): Promise<{ code: string; message: string; left: number }> {
  using flour = await createFlour();
  try {
    importer(flour);
  } catch (error) {
    const { code, message } = error as Error & { code: string };
    return { code, message, left: flour.store.stats().objects };
  }
  throw new Error('nothing was thrown');
}
