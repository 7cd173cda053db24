import type { KernelTable } from '@brezel/core';
import { FlourContext, operatorDeadline, type Program } from '@brezel/flour';
import { planForDevice } from '@brezel/lowering';
import type { ObjectStore } from '@brezel/object-store';
import { bake, type OvenOptions } from '@brezel/oven';
import type { Runtime } from '@brezel/runtime';
import { type RuntimeOptions, runtimeOver } from './create-runtime.js';
import { checkWhole } from './fleet/check-stage.js';
import { checkDeferred } from './fleet/unchecked-stages.js';
import { kernels, openStore } from './kernels.js';
import { provideOperators } from './serve/operators.js';

export type { RuntimeOptions } from './create-runtime.js';
export { kernels, loadNative, openStore } from './kernels.js';

// The only file that knows every package: it puts Oven into Flour, the addon into the store and the runtime.

/** Operators as runtimes of this thread know them. */
const operators: KernelTable = {
  ...kernels,
  deadlineMs: operatorDeadline,
  checkStage: (stage) => checkDeferred(stage, checkWhole),
};
provideOperators(operators);

export interface FlourOptions extends OvenOptions {
  /** Share a store between contexts, or bring one that another part of the process opened. */
  readonly store?: ObjectStore;
  /** False: keep parameters in JavaScript memory, as where no addon loads. Default true. */
  readonly native?: boolean;
}

/**
 * A place to write programs: an object store, and Oven behind `plan()`.
 *
 * @param options options of Oven (`exact`, `disable`, `rules`, `observe`), and the store.
 * @example
 * const flour = await createFlour();
 * const plan = flour.columns({ text: 'string' }).select('text')
 *   .tokenize().wordNgram({ vocabulary: [['good'], ['bad']] }).logistic({ weights: [2, -2] }).plan();
 */
export async function createFlour(options: FlourOptions = {}): Promise<FlourContext> {
  const { store, native, ...oven } = options;
  return new FlourContext(store ?? (await openStore({ native })), { plan: (program: Program) => bake(program, oven) });
}

/**
 * A runtime over the parameters of a store.
 *
 * @throws ERR_RUNTIME_OPTION for an option out of its range, and without a store.
 * @example
 * const runtime = createRuntime({ store: flour.store });
 * runtime.predictSync(runtime.register(compiled), 'good').output; // [0.8...]
 */
export const createRuntime = (options: RuntimeOptions): Runtime =>
  runtimeOver({ kernels: operators, lowering: planForDevice }, options);
