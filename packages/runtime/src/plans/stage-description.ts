import type { ObjectStore } from '@brezel/object-store';
import { type KernelEngine, parametersOf } from './catalog.js';
import type { ServedPlan } from './registered-plan.js';

/** One stage of a registered plan, as `Runtime.stages` returns it. */
export interface StageDescription {
  /** The key of the stage. Stages of several plans with equal keys are the same stage. */
  readonly key: string;
  /**
   * `featurizer` stages can be shared between plans. `model` stages hold the weights of a model.
   */
  readonly role: 'featurizer' | 'model';
  /** The operators of the stage, in the order in which they run. */
  readonly operators: readonly string[];
  /**
   * The kernels of the stage, in the order in which they run. Empty if the stage runs in
   * JavaScript.
   */
  readonly kernels: readonly string[];
  /** Where the stage runs: in the addon, in WebAssembly or in JavaScript. */
  readonly engine: KernelEngine | 'javascript';
  /** Number of registered plans that have the stage. */
  readonly plans: number;
  /** Bytes of the parameters of the stage. Each parameter counts once. */
  readonly parameterBytes: number;
}

/** Describes the stages of a plan. */
export const describeStages = ({ stages }: ServedPlan, store: ObjectStore): StageDescription[] =>
  stages.map(({ stage, engine, plans }) => ({
    key: stage.key,
    role: stage.role,
    operators: stage.steps.map(({ operator }) => operator),
    kernels: engine === 'javascript' ? [] : (stage.calls ?? []).map(({ kernel }) => kernel),
    engine,
    plans,
    parameterBytes: [...parametersOf(stage)].reduce((bytes, id) => bytes + store.info(id).bytes, 0),
  }));
