import { type Clock, type CompiledPlan, dtypeOf, sizeOf, type ValueType } from '@brezel/core';
import type { ObjectStore } from '@brezel/object-store';
import { ENGINE_FACTORS, planParts } from '../execute/plan-parts.js';
import { DEFAULT_SCHEDULING, type Scheduling } from '../parallel/executors/scheduling-options.js';
import type { OperatorDeadlines } from '../parallel/isolated/isolated-plan.js';
import type { CatalogStage, KernelTarget } from './catalog.js';
import { withPlanName } from './kernel-target.js';
import { isWhollyNative, nativePlan } from './native-plan.js';
import { planMethods } from './plan-methods.js';
import type { PlanPorts } from './plan-ports.js';
import type { ServedPlan } from './registered-plan.js';
import type { PlanSchemas } from './schemas/standard-schema.js';

/**
 * Options of a linked plan: its scheduling, the deadlines of its operators, and changed inputs and
 * outputs.
 */
export interface LinkOptions {
  readonly scheduling?: Scheduling;
  readonly isolated?: OperatorDeadlines | undefined;
  readonly ports?: Pick<PlanPorts, 'inputs' | 'outputs'> & Partial<PlanPorts>;
}

/** Links plans to stages of the catalog, so that they can run. */
export class PlanLinker {
  readonly #target: KernelTarget | undefined;
  readonly #store: ObjectStore;
  readonly #clock: Clock;

  constructor(target: KernelTarget | undefined, store: ObjectStore, clock: Clock) {
    this.#target = target;
    this.#store = store;
    this.#clock = clock;
  }

  /**
   * Links a compiled plan to its stages in the catalog, and creates its handles among the kernels.
   * `unlink` releases the handles.
   * @throws ERR_RUNTIME_NATIVE, ERR_RUNTIME_MEMORY
   */
  link(
    name: string,
    compiled: CompiledPlan,
    stages: readonly CatalogStage[],
    maxInputBytes: number,
    { scheduling = DEFAULT_SCHEDULING, isolated, ports = compiled }: LinkOptions = {},
  ): ServedPlan {
    const planHandle = withPlanName(name, () => this.#linkNative(compiled, stages, maxInputBytes));
    const parts =
      planHandle === undefined
        ? withPlanName(name, () => planParts(compiled, stages, this.#target, this.#store))
        : undefined;
    const engine = parts?.engine ?? this.#target!.engine;
    const nanosPerRow = parts?.nanosPerRow ?? compiled.nanosPerRow * ENGINE_FACTORS[this.#target!.engine];
    const only = compiled.inputs[0];
    // All fields of a `PlanRecord` exist from the start, so that V8 gives every plan the same
    // hidden class.
    const linked: Omit<ServedPlan, keyof PlanSchemas<unknown>> = {
      // @ts-expect-error TypeScript reads the prototype as a field
      __proto__: planMethods,
      name,
      inputs: ports.inputs,
      outputs: ports.outputs,
      ignoresExtraFields: ports.ignoresExtraFields ?? false,
      width: compiled.width,
      engine,
      nanosPerRow,
      compiled,
      stages,
      planHandle,
      parts,
      maxInputBytes,
      scheduling,
      clock: this.#clock,
      isolated,
      numbers: new Float64Array(compiled.width),
      textInput: compiled.inputs.length === 1 && isText(only!.type) ? only!.name : undefined,
      floatInput: compiled.inputs.length === 1 && isFloatVector(only!.type) ? only : undefined,
      numberRow: undefined,
      javascript: undefined,
      boxes: undefined,
      latencies: undefined,
      stageTimes: undefined,
      stageClocks: undefined,
      gone: undefined,
      answersBy: undefined,
      guard: undefined,
      execute: undefined,
      features: undefined,
    };
    return linked as ServedPlan;
  }

  unlink({ planHandle, parts, boxes }: ServedPlan): void {
    boxes?.close();
    if (planHandle !== undefined) this.#target!.kernels.planRelease(planHandle);
    parts?.release();
  }

  #linkNative(compiled: CompiledPlan, stages: readonly CatalogStage[], maxInputBytes: number): number | undefined {
    if (this.#target === undefined || !isWhollyNative(compiled, stages)) return undefined;
    return this.#target.kernels.planCreate(nativePlan(compiled, stages, maxInputBytes));
  }
}

const isText = (type: ValueType): boolean =>
  type.kind !== 'dictionary' && dtypeOf(type) === 'string' && sizeOf(type) === 1;
const isFloatVector = (type: ValueType): boolean =>
  (type.kind === 'vector' || type.kind === 'tensor') && (type.dtype === 'float32' || type.dtype === 'float64');
