import type { Block, CompiledPlan, KernelTable, PlannedStage } from '@brezel/core';
import type { ObjectStore } from '@brezel/object-store';
import { stageNow } from '../../telemetry/stage-now.js';
import type { PlanBoxes } from '../plan-boxes.js';
import type { LaterOptions, Work } from '../work.js';
import type { CachedResults } from './cached-results.js';
import { type CachedStage, runCachedStage } from './cached-stage.js';
import { type PreparedCall, prepareStage } from './prepared-call.js';
import { inStage } from './stage-errors.js';

/**
 * Returns an object that runs a stage in JavaScript.
 * @param cachedResults the cache of stage results, which `runCached` uses
 */
export function stageWork(
  plan: CompiledPlan,
  at: number,
  kernels: KernelTable,
  store: ObjectStore,
  cachedResults: CachedResults | undefined,
  boxes: PlanBoxes | undefined,
): Work {
  const planned = plan.stages[at]!;
  const calls = inStage(plan, at, () => prepareStage(planned.stage, kernels, store, boxes));
  const run: Work['run'] = (slots, rows, first, nanoseconds, check) => {
    const start = nanoseconds && stageNow();
    const runCall = (call: PreparedCall, local: readonly Block[]) =>
      inStage(plan, at, () => call.run(local, rows), first);
    runStage(planned, calls, slots, runCall, check);
    if (start === undefined) return;
    nanoseconds![at] = nanoseconds![at]! + (stageNow() - start) * 1e6;
  };
  const isLater = calls.some((call) => call.runLater !== undefined);
  return {
    run,
    ...(isLater && {
      runLater: async (slots, rows, first, later) => {
        const start = stageNow();
        const runCall = (call: PreparedCall, local: readonly Block[]) =>
          inStage(plan, at, () => call.run(local, rows), first);
        await runStageLater(planned, calls, slots, runCall, later);
        const { nanoseconds } = later;
        if (nanoseconds !== undefined) nanoseconds[at] = nanoseconds[at]! + (stageNow() - start) * 1e6;
      },
    }),
    runCached(slots, rows, first, check) {
      const results = cachedResults?.of(planned.stage.key);
      if (results === undefined) {
        run(slots, rows, first, undefined, check);
        return;
      }
      const runNow: CachedStage['run'] = (own, some, from) => run(own, some, from, undefined, check);
      runCachedStage({ planned, results, run: runNow, guard: (work) => inStage(plan, at, work) }, slots, rows, first);
    },
  };
}

function runStage(
  { stage, inputs, outputs }: PlannedStage,
  calls: readonly PreparedCall[],
  slots: Block[],
  run: (call: PreparedCall, local: readonly Block[]) => Block,
  check: (() => void) | undefined,
): void {
  const local: Block[] = inputs.map((slot) => slots[slot]!);
  calls.forEach((call, at) => {
    if (at > 0) check?.();
    local[call.output] = run(call, local);
  });
  for (let at = 0; at < outputs.length; at++) slots[outputs[at]!] = local[stage.outputs[at]!]!;
}

async function runStageLater(
  { stage, inputs, outputs }: PlannedStage,
  calls: readonly PreparedCall[],
  slots: Block[],
  run: (call: PreparedCall, local: readonly Block[]) => Block,
  { signal, check }: LaterOptions,
): Promise<void> {
  const local: Block[] = inputs.map((slot) => slots[slot]!);
  for (const call of calls) {
    check?.();
    local[call.output] = call.runLater ? await call.runLater(local, signal) : run(call, local);
  }
  for (let at = 0; at < outputs.length; at++) slots[outputs[at]!] = local[stage.outputs[at]!]!;
}
