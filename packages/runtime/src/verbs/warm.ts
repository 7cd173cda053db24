import { optionNames } from '@brezel/core';
import { listedAnswers } from '../execute/answers/answer-sink.js';
import type { NativeKernels } from '../execute/native/native-kernels.js';
import { CopiedRows } from '../execute/rows/copied-rows.js';
import type { Row } from '../execute/rows/row-schema.js';
import type { ExecutorFacade } from '../parallel/executors/executor-facade.js';
import type { ServedPlan } from '../plans/registered-plan.js';

export interface WarmOptions<R = Row> {
  /**
   * Rows that resemble the rows in production. They run on the calling thread and on the executors,
   * so that scratch memory and pooled vectors grow to their final size. Default: none.
   */
  readonly rows?: readonly R[];
}

/** The names of the options of `warm`. */
export const warmOptionNames = optionNames<WarmOptions>({ rows: true });

/** The result of `warm`: what is now ready for the plan. */
export interface WarmUpReport {
  /**
   * Bytes of the plan's parameters that the warm-up has read in the addon, in the layouts of the
   * kernels. 0 if the plan does not run completely in the addon.
   */
  readonly parameterBytes: number;
  /** Number of executors that are ready for the plan. */
  readonly executors: number;
}

/**
 * Functions that a warm-up calls. `row` runs a row, and `javaScript` creates the JavaScript engine
 * of the plan.
 */
export interface WarmSteps {
  row(row: Row): void;
  javaScript(): void;
  /** Throws if the plan was removed. */
  stillThere(): void;
}

/** Prepares everything for which the first prediction of a plan would wait. */
export async function warmPlan(
  record: ServedPlan,
  native: NativeKernels | undefined,
  facade: ExecutorFacade,
  { rows = [] }: WarmOptions,
  steps: WarmSteps,
): Promise<WarmUpReport> {
  const parameterBytes = record.engine === 'native' ? native!.planTouch(record.planHandle!) : 0;
  if (record.planHandle === undefined) steps.javaScript();
  for (const row of rows) steps.row(row);
  const plan = facade.plan(record);
  if (plan === undefined) return { parameterBytes, executors: 0 };
  const executors = await plan.start();
  steps.stillThere();
  const watch = { check: () => steps.stillThere() };
  const copies = new CopiedRows(rows);
  if (copies.length > 0 && executors > 0)
    await Promise.all(Array.from({ length: 2 * executors }, () => plan.run(copies, watch, 0, listedAnswers(record))));
  return { parameterBytes, executors };
}
