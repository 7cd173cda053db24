import { type PlanPayload, WorkerPlans, type WorkerResult, type WorkerTask } from '@brezel/runtime';
import { kernels, loadNative, openStore } from '../kernels.js';
import { importModules } from './import-modules.js';
import { plainError } from './plain-error.js';

// Runs on a worker thread: batches of plans that run in JavaScript, and plans with operators that
// may not end. Parameters are shared with the sending thread if possible.

let opened: Promise<WorkerPlans> | undefined;

/** Runs some rows, or replies that it needs the plan first. */
export async function answerTask(task: WorkerTask): Promise<WorkerResult> {
  const { plan, payload, rows, started } = task;
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
    return { cannotHave: plainError(error) };
  }
  try {
    started?.postMessage(true);
    const start = performance.now();
    const answered = rows === 0 ? { blocks: [] } : plans.run(task);
    return { ...answered, nanoseconds: (performance.now() - start) * 1e6, copiedBytes: plans.takeCopiedBytes() };
  } catch (error) {
    return { error: plainError(error) };
  } finally {
    started?.close();
  }
}

/**
 * Opens the runtime of this thread. All its tasks share one runtime, so the options of the first
 * plan hold for all.
 */
async function open({ isNativeMemory, native, isa }: PlanPayload): Promise<WorkerPlans> {
  const store = await openStore({ native: isNativeMemory });
  return new WorkerPlans({ store, kernels, native: native ? loadNative().addon : undefined, isa });
}
