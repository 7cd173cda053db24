import { WorkerPlans, type WorkerResult, type WorkerTask } from '@brezel/runtime';
import { kernels, loadNative, openStore } from '../kernels.js';
import { importModules } from '../workers/import-modules.js';
import { plainError } from '../workers/plain-error.js';

// Runs on a worker thread, for batches of plans that run in JavaScript. Parameters are those of the thread that sent the plan, where they are.

type WorkerPlan = NonNullable<WorkerTask['payload']>;
let opened: Promise<WorkerPlans> | undefined;

/** Answers the rows of a chunk, or says that it needs the plan first. */
export async function answerChunk(task: WorkerTask): Promise<WorkerResult> {
  const { plan, payload, rows } = task;
  if (opened === undefined && payload === undefined) return { isMissing: true };
  let plans: WorkerPlans;
  try {
    opened ??= open(payload!);
    plans = await opened;
    plans.forgetGone();
    if (!plans.knows(plan) && payload === undefined) return { isMissing: true };
    if (!plans.knows(plan)) {
      await importModules(payload!.modules);
      plans.add(plan, payload!);
    }
  } catch (error) {
    return { cannotHave: (error as Error).message };
  }
  try {
    const start = performance.now();
    const answered = rows === 0 ? { blocks: [] } : plans.run(task);
    return { ...answered, nanoseconds: (performance.now() - start) * 1e6, copiedBytes: plans.takeCopiedBytes() };
  } catch (error) {
    return { error: plainError(error) };
  }
}

/** One runtime is behind all tasks of a thread: what holds for its first plan holds for all. */
async function open({ isNativeMemory, native, isa }: WorkerPlan): Promise<WorkerPlans> {
  const store = await openStore({ native: isNativeMemory });
  return new WorkerPlans({ store, kernels, native: native ? loadNative().addon : undefined, isa });
}
