import { type PlanPayload, WorkerPlans, type WorkerResult, type WorkerTask, workerErrors } from '@brezel/runtime';
import { kernels, loadNative, openStore } from '../kernels.js';
import { wasmKernels } from '../wasm/thread-kernels.js';
import { importModules } from './import-modules.js';

// The code of worker threads. They run batches of plans in WebAssembly and JavaScript, and plans
// with operators that may not return. Parameters are shared with the sending thread if possible.

let opened: Promise<WorkerPlans> | undefined;

/**
 * Runs the rows of a task. If this worker does not have the plan, and the task does not contain it,
 * returns `isMissing`: the sender must then send the plan with the task.
 */
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
    return { cannotHave: workerErrors.send(error) };
  }
  try {
    started?.postMessage(true);
    // This is not the clock of the runtime, which exists only on the calling thread.
    const start = performance.now();
    const answered = rows === 0 ? { values: [] } : plans.run(task);
    return { ...answered, nanoseconds: (performance.now() - start) * 1e6, copiedBytes: plans.takeCopiedBytes() };
  } catch (error) {
    return { error: workerErrors.send(error) };
  } finally {
    started?.close();
  }
}

/**
 * Opens the runtime of this thread. All tasks share this runtime, so the options of the first plan
 * apply to all plans.
 */
async function open({ isNativeMemory, native, isa }: PlanPayload): Promise<WorkerPlans> {
  const store = await openStore({ native: isNativeMemory });
  const addon = native ? loadNative().addon : undefined;
  return new WorkerPlans({ store, kernels, native: addon, wasm: addon ? undefined : wasmKernels(store), isa });
}
