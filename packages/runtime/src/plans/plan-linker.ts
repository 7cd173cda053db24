import { type Clock, type CompiledPlan, dtypeOf, sizeOf, type ValueType } from '@brezel/core';
import type { ObjectStore } from '@brezel/object-store';
import { planParts } from '../execute/plan-parts.js';
import { PlanGuard } from '../features/circuit-breaker/plan-guard.js';
import { DEFAULT_SCHEDULING } from '../parallel/executors/scheduling-options.js';
import type { IsolatedPlan } from '../parallel/isolated/isolated-plan.js';
import type { CatalogStage, NativeTarget } from './catalog.js';
import { isWhollyNative, nativePlan } from './native-plan.js';
import { refusals } from './native-target.js';
import type { PlanRecord } from './plan-record.js';
import type { CheckedOptions } from './register-options.js';

/** Of plans that the runtime makes itself. */
const NO_OPTIONS = { engine: undefined, quarantine: undefined, scheduling: DEFAULT_SCHEDULING };

/** Makes plans over stages of the catalog ready to run. */
export class PlanLinker {
  readonly #target: NativeTarget | undefined;
  readonly #store: ObjectStore;
  readonly #clock: Clock;

  constructor(target: NativeTarget | undefined, store: ObjectStore, clock: Clock) {
    this.#clock = clock;
    this.#target = target;
    this.#store = store;
  }

  /** A plan with all that it takes in the addon; `unlink` gives it back. @throws ERR_RUNTIME_NATIVE */
  link(
    name: string,
    compiled: CompiledPlan,
    stages: readonly CatalogStage[],
    maxInputBytes: number,
    { engine, quarantine, scheduling }: Pick<CheckedOptions, 'engine' | 'quarantine' | 'scheduling'> = NO_OPTIONS,
    isolated?: IsolatedPlan,
  ): PlanRecord {
    const native = refusals(name, () => this.#linkNative(compiled, stages, maxInputBytes));
    const parts =
      native === undefined ? refusals(name, () => planParts(compiled, stages, this.#target, this.#store)) : undefined;
    const only = compiled.inputs[0];
    return {
      name,
      inputs: compiled.inputs,
      outputs: compiled.outputs,
      width: compiled.width,
      engine: parts?.engine ?? 'native',
      nanosPerRow: parts?.nanosPerRow ?? compiled.nanosPerRow,
      compiled,
      stages,
      native,
      parts,
      maxInputBytes,
      scheduling,
      answersBy: engine,
      isolated,
      guard: new PlanGuard(name, quarantine, this.#clock),
      numbers: new Float64Array(compiled.width),
      textInput: compiled.inputs.length === 1 && isText(only!.type) ? only!.name : undefined,
      floatInput: compiled.inputs.length === 1 && isFloatVector(only!.type) ? only : undefined,
      fallback: undefined,
    };
  }

  unlink({ native, parts, boxes, devices }: PlanRecord): void {
    boxes?.close();
    devices?.close();
    if (native !== undefined) this.#target!.kernels.planRelease(native);
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
