import { checkOptionNames, type KernelTable, optionNames } from '@brezel/core';
import {
  contributionRules,
  FlourContext,
  flourError,
  missingElements,
  operatorDeadline,
  type Program,
  passesIntegers,
  stepQuality,
} from '@brezel/flour';
import { planForDevice } from '@brezel/lowering';
import type { ObjectStore } from '@brezel/object-store';
import { bake, type OvenOptions } from '@brezel/oven';
import type { Runtime } from '@brezel/runtime';
import { type RuntimeOptions, runtimeOver } from './create-runtime.js';
import { checkWhole } from './fleet/check-stage.js';
import { checkDeferred } from './fleet/unchecked-stages.js';
import { kernels, openStore } from './kernels.js';
import { checkNativeStore } from './native-store.js';
import { provideOperators } from './serve/operators.js';

export type { RuntimeOptions } from './create-runtime.js';
export { kernels, loadNative, openStore } from './kernels.js';

// Connects the packages; only this file imports all of them. It passes Oven to Flour, and the addon
// to the store and the runtime.

/**
 * The operators for the runtimes of `brezel`: their functions, deadlines, and rules for missing
 * values and contributions.
 */
const operators: KernelTable = {
  ...kernels,
  deadlineMs: operatorDeadline,
  missing: missingElements,
  passesIntegers,
  contributions: contributionRules,
  quality: stepQuality,
  checkStage: (stage) => checkDeferred(stage, checkWhole),
};
provideOperators(operators);

/** Options of `createFlour`: where parameters are stored, and how programs are compiled. */
export interface FlourOptions extends OvenOptions {
  /**
   * The object store for the parameters. For example, pass the store of another context to share
   * it. Default: a new one.
   */
  readonly store?: ObjectStore;
  /**
   * `false` stores parameters in JavaScript memory, as on a machine without the addon. `true`
   * requires the addon. Default: the memory of the addon if it loads; otherwise JavaScript memory,
   * with one warning for the process.
   */
  readonly native?: boolean;
}

const optionsOfFlour = optionNames<FlourOptions>({
  store: true,
  native: true,
  exact: true,
  disable: true,
  rules: true,
  steps: true,
  stopAfter: true,
  maxOperators: true,
  isa: true,
  observe: true,
});

/**
 * Creates a context for writing programs. It includes an object store, and Oven for `plan()`.
 *
 * @param options options of Oven (`exact`, `disable`, `rules`, `observe`), and the store.
 * @throws ERR_NATIVE_MISSING for `native: true`, when the addon cannot be loaded.
 * @example
 * const flour = await createFlour();
 * const plan = flour.columns({ text: 'string' }).select('text')
 *   .tokenize().wordNgram({ vocabulary: [['good'], ['bad']] })
 *   .logistic({ weights: [2, -2] }).plan();
 */
export async function createFlour(options: FlourOptions = {}): Promise<FlourContext> {
  checkOptionNames(options, optionsOfFlour, (details) => flourError('ERR_FLOUR_PARAM', details), 'createFlour');
  const { store, native, ...oven } = options;
  if (store !== undefined) checkNativeStore(native, store, 'createFlour');
  const compiler = { plan: (program: Program) => bake(program, oven) };
  const flour = new FlourContext(store ?? (await openStore({ native })), compiler);
  ovenOptions.set(flour, oven);
  return flour;
}

const ovenOptions = new WeakMap<FlourContext, OvenOptions>();

/**
 * Returns the options with which a context compiles. Undefined if `createFlour` did not create it.
 */
export const ovenOptionsOf = (flour: FlourContext): OvenOptions | undefined => ovenOptions.get(flour);

/**
 * Creates a runtime for plans whose parameters are in a store.
 *
 * @throws ERR_RUNTIME_OPTION for an option out of range, or without a store; ERR_NATIVE_MISSING for
 * `native: true`, when the addon cannot be loaded.
 * @example
 * const runtime = createRuntime({ store: flour.store });
 * runtime.predictSync(runtime.register(compiled), 'good').output; // [0.8...]
 */
export const createRuntime = (options: RuntimeOptions): Runtime =>
  runtimeOver({ kernels: operators, lowering: planForDevice }, options);
