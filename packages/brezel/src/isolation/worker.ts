import { InternalError } from '@brezel/core';
import type { IsolatedPayload, IsolatedResult, IsolatedTask, RegisteredPlan, Runtime } from '@brezel/runtime';
import { createRuntime, openStore } from '../wire.js';
import { importModules } from '../workers/import-modules.js';
import { plainError } from '../workers/plain-error.js';

// Runs on a worker thread, for plans with operators that may not end. Parameters in the addon are those of the main thread.

const plans = new Map<number, RegisteredPlan>();
let opened: Promise<Runtime> | undefined;

/** Answers some rows, or says that it needs the plan first. */
export async function answerTask(task: IsolatedTask): Promise<IsolatedResult> {
  const { plan: number, alive, rows, payload, started } = task;
  try {
    if (!plans.has(number) && payload === undefined) return { isMissing: true };
    opened ??= open(payload!);
    const runtime = await opened;
    forget(runtime, alive);
    if (payload !== undefined && !plans.has(number)) plans.set(number, await registered(runtime, payload));
    const plan = plans.get(number)!;
    started.postMessage(true);
    return { answers: await runtime.predictBatch(plan, rows) };
  } catch (error) {
    return { error: plainError(error) };
  } finally {
    started.close();
  }
}

/** One runtime of the main thread is behind all its tasks: what holds for the first plan holds for all. */
async function open({ native, isa }: IsolatedPayload): Promise<Runtime> {
  return createRuntime({ store: await openStore({ native }), native, isa, isolated: true });
}

/** Plans that are not registered any more go. */
function forget(runtime: Runtime, alive: readonly number[]): void {
  for (const [known, plan] of plans) {
    if (alive.includes(known)) continue;
    runtime.unregister(plan);
    plans.delete(known);
  }
}

/** The plan with its parameters, which are found where they are in the addon already. */
async function registered(
  runtime: Runtime,
  { name, compiled, parameters, modules, maxInputBytes }: IsolatedPayload,
): Promise<RegisteredPlan> {
  await importModules(modules);
  const { store } = runtime;
  const held = parameters.map((value) => (value instanceof Uint8Array ? store.putBlob(value) : store.put(value)));
  try {
    const strange = held.find((id, at) => id !== compiled.parameters[at]);
    if (strange !== undefined) throw new InternalError(`a parameter changed on its way to a worker: ${strange}`);
    return runtime.register(compiled, { name, maxInputBytes });
  } finally {
    for (const id of held) store.release(id);
  }
}
