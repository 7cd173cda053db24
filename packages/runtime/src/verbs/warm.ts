import type { NativeKernels } from '../execute/native/native-kernels.js';
import type { Row } from '../execute/row-schema.js';
import type { ExecutorFacade } from '../parallel/executors/executor-facade.js';
import type { ServedPlan } from '../plans/registered-plan.js';

export interface WarmOptions {
  /**
   * Rows like those to come: they are answered, here and by the executors, so that all that depends
   * on rows has its size. Default: none.
   */
  readonly rows?: readonly Row[];
}

/** What is warm now. */
export interface WarmUpReport {
  /**
   * Parameters of the plan that are in memory, in the layouts that its kernels read. 0 for a plan
   * without native stages.
   */
  readonly parameterBytes: number;
  /** Executors that are ready for the plan. */
  readonly executors: number;
}

/** How the runtime answers a row by the plan's engine, and makes the plan that JavaScript runs. */
export interface WarmSteps {
  row(row: Row): void;
  javaScript(): void;
  /** Throws when the plan is gone. */
  stillThere(): void;
}

/** Does beforehand what the first prediction of a plan would have to wait for. */
export async function warmPlan(
  record: ServedPlan,
  native: NativeKernels | undefined,
  facade: ExecutorFacade,
  { rows = [] }: WarmOptions,
  steps: WarmSteps,
): Promise<WarmUpReport> {
  const parameterBytes = record.planHandle === undefined ? 0 : native!.planTouch(record.planHandle);
  if (record.planHandle === undefined) steps.javaScript();
  for (const row of rows) steps.row(row);
  const plan = facade.plan(record);
  if (plan === undefined) return { parameterBytes, executors: 0 };
  const executors = await plan.start();
  steps.stillThere();
  const watch = { check: () => steps.stillThere() };
  if (rows.length > 0 && executors > 0)
    await Promise.all(Array.from({ length: 2 * executors }, () => plan.run(rows, watch, 0)));
  return { parameterBytes, executors };
}
