import { createFlour, createRuntime, importModelAsync } from 'brezel';
import { importFile, sampleRows } from 'brezel/internal';
import { expect } from 'vitest';

/** Options of both imports. */
export interface BothOptions {
  readonly rowByRow?: boolean;
}

const portsAndStages = [
  'version',
  'name',
  'inputs',
  'outputs',
  'stages',
  'parameters',
  'width',
  'nanosPerRow',
] as const;

/**
 * Imports a file on this thread and on a worker thread. Both must throw equal errors, or give equal
 * plans: the same fields, stage keys, parameter checksums, warnings and answers.
 *
 * @returns whether the file was imported
 */
export async function comparesBothWays(bytes: Uint8Array, options: BothOptions = {}): Promise<boolean> {
  using here = await createFlour();
  using there = await createFlour();
  const elsewhere = await settled(() => importModelAsync(bytes, there, options));
  const { value: file, error } = await settled(async () => importFile(bytes, here, options));
  if (file === undefined) {
    expect(elsewhere.error).toBeInstanceOf((error as Error).constructor);
    expect(shown(elsewhere.error)).toEqual(shown(error));
    expect(there.store.stats().objects).toBe(0);
    return false;
  }
  const { program, ...facts } = file;
  const [mine, sent] = [program.plan(), elsewhere.value];
  if (sent === undefined) throw elsewhere.error;
  expect(sent.kind).toBe('row');
  for (const field of portsAndStages) expect(sent[field], field).toEqual(mine[field]);
  for (const [name, fact] of Object.entries(facts)) expect(sent[name as never], name).toEqual(fact);
  await using runtime = createRuntime({ store: here.store });
  await using other = createRuntime({ store: there.store });
  const rows = sampleRows(mine, here.store) as never[];
  const plans = [runtime.register(mine), other.register(sent)] as const;
  const [expected, received] = [
    await settled(() => runtime.predictBatch(plans[0], rows)),
    await settled(() => other.predictBatch(plans[1], rows)),
  ];
  expect(received.value).toEqual(expected.value);
  expect(shown(received.error)).toEqual(shown(expected.error));
  for (const plan of [mine, sent]) plan.release();
  other.unregister(plans[1]);
  expect(there.store.stats().objects).toBe(0);
  return true;
}

interface Settled<T> {
  readonly value?: T;
  readonly error?: unknown;
}

export async function settled<T>(run: () => Promise<T>): Promise<Settled<T>> {
  try {
    return { value: await run() };
  } catch (error) {
    return { error };
  }
}

/** Everything that a user sees of an error, except its stack. */
export function shown(error: unknown): unknown {
  if (!(error instanceof Error)) return error;
  const { details, ...fields } = error as Error & { details?: { cause?: unknown } };
  const { cause: _, ...plain } = details ?? {};
  return { class: error.constructor, ...fields, message: error.message, details: plain, cause: shown(error.cause) };
}
