import { vector } from '@brezel/core';
import {
  type Answer,
  type CompiledPlan,
  createFlour,
  createRuntime,
  type Flow,
  loadNative,
  type Row,
  type Runtime,
  type RuntimeOptions,
} from 'brezel';

/**
 * Whether executors can exist. Without the addon, each test file prints that it skips its tests.
 */
export const hasAddon = loadNative().addon !== undefined;
if (!hasAddon) console.warn(`executors are left out: ${loadNative().error?.message}`);

export const flour = await createFlour();

const words = ['good', 'bad', 'film', 'not', 'very', 'été', '日本', 'x'.repeat(40)];
/** Returns the n-th text of a list of texts that almost all differ. A text has up to 16 words. */
export const textOf = (n: number) =>
  Array.from({ length: n % 17 }, (_, at) => words[mixed(n * 17 + at) % words.length]).join(' ');

/** Returns a number that looks random, from 0 to 2^32 - 1. Equal arguments give equal numbers. */
function mixed(value: number): number {
  let hash = Math.imul(value ^ (value >>> 16), 0x45d9f3b);
  hash = Math.imul(hash ^ (hash >>> 16), 0x45d9f3b);
  return (hash ^ (hash >>> 16)) >>> 0;
}

/** A plan of several stages that converts a text to a number. Each `n` gives a different plan. */
export function textPlan(n = 0): CompiledPlan {
  const tokens = flour.columns({ text: 'string' }).select('text').tokenize();
  const vocabulary = words.map((word) => [word]);
  return tokens
    .wordNgram({ vocabulary })
    .linear({ weights: words.map((_, at) => Math.sin(at + n)), bias: n })
    .plan();
}

/** A plan that converts four numbers to `outputs` numbers. */
export function numberPlan(outputs = 3): CompiledPlan {
  const weights = Float32Array.from({ length: 4 * outputs }, (_, at) => Math.cos(at));
  const x = flour.input('x', vector('float32', 4)) as Flow<'vector'>;
  return x.linear({ weights, bias: Array.from({ length: outputs }, (_, at) => at + 1) }).plan();
}

/**
 * Declares a cost that sends batches of `rows` rows or more to the executors, in chunks of at most
 * half of them.
 */
export function dear(plan: CompiledPlan & { release?(): void }, rows: number) {
  return { ...plan, nanosPerRow: 1e6 / rows, release: () => plan.release?.() };
}

export const textRows = (rows: number, from = 0): Row[] => Array.from({ length: rows }, (_, at) => textOf(from + at));

export const runtimeWith = (executors: number, options: Omit<RuntimeOptions, 'store' | 'executors'> = {}): Runtime =>
  createRuntime({ ...options, store: flour.store, executors });

/** Returns the answers to rows that this thread predicts one after another. */
export function oneByOne(plan: CompiledPlan, rows: readonly Row[]): Answer[] {
  const runtime = runtimeWith(0);
  const registered = runtime.register(plan);
  const answers = rows.map((row) => runtime.predictSync(registered, row));
  void runtime.close();
  return answers;
}

/** Returns the error that a promise rejects with. Throws if the promise is fulfilled. */
export async function rejection(promise: Promise<unknown>): Promise<Error & { code?: string }> {
  const answer = await promise.then(
    () => undefined,
    (error: Error) => error,
  );
  if (answer === undefined) throw new Error('it was answered');
  return answer;
}
