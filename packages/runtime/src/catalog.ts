import { type CompiledPlan, distinct, type ParameterId, type PhysicalStage } from '@brezel/core';
import type { ObjectStore } from '@brezel/object-store';
import type { Isa, NativeKernels } from './native.js';
import { isNative, type StageSkeleton, skeletonKey, stageProgram, stageSkeleton } from './stage-program.js';

/** A physical stage as the catalog holds it: once, however many plans run it. */
export interface CatalogStage {
  readonly stage: PhysicalStage;
  /** Handle in the addon; undefined where the stage runs in JavaScript. */
  readonly native: number | undefined;
  plans: number;
}

/** What the catalog needs to make stages runnable in the addon. */
export interface NativeTarget {
  readonly kernels: NativeKernels;
  readonly isa: Isa;
}

/**
 * Physical stages by key. Equal stages of all registered plans are one; the last plan that leaves takes the stage along. Each stage holds one
 * reference to each of its parameters.
 */
export class Catalog {
  readonly #store: ObjectStore;
  readonly #target: NativeTarget | undefined;
  readonly #kernelIds: ReadonlyMap<string, number>;
  readonly #kernelNames: ReadonlySet<string>;
  readonly #stages = new Map<string, CatalogStage>();
  /** What native stages of one program have in common, as long as there are any. */
  readonly #skeletons = new Map<string, { readonly skeleton: StageSkeleton; stages: number }>();
  /** Parameter → stages that hold it. */
  readonly #holders = new Map<ParameterId, number>();
  #parameterBytes = 0;

  constructor(store: ObjectStore, target: NativeTarget | undefined) {
    this.#store = store;
    this.#target = target;
    this.#kernelIds = new Map(target?.kernels.kernels().map((name, id) => [name, id]));
    this.#kernelNames = new Set(this.#kernelIds.keys());
  }

  /** Adds the stages of a plan. When one of them fails nothing stays behind. */
  add(plan: CompiledPlan): CatalogStage[] {
    const added: CatalogStage[] = [];
    try {
      for (const { stage } of plan.stages) added.push(this.#acquire(stage));
      return added;
    } catch (error) {
      this.remove(added);
      throw error;
    }
  }

  remove(stages: readonly CatalogStage[]): void {
    for (const entry of stages) {
      if (--entry.plans > 0) continue;
      this.#stages.delete(entry.stage.key);
      if (entry.native !== undefined) {
        this.#target!.kernels.stageRelease(entry.native);
        this.#leaveSkeleton(skeletonKey(entry.stage));
      }
      for (const id of parametersOf(entry.stage)) this.#release(id);
    }
  }

  get stages(): readonly CatalogStage[] {
    return [...this.#stages.values()];
  }

  /** Bytes of the parameters of all stages, each counted once. */
  get parameterBytes(): number {
    return this.#parameterBytes;
  }

  #retain(id: ParameterId): void {
    this.#store.retain(id);
    const holders = this.#holders.get(id) ?? 0;
    this.#holders.set(id, holders + 1);
    if (holders === 0) this.#parameterBytes += this.#store.bytesOf(id);
  }

  #release(id: ParameterId): void {
    const holders = this.#holders.get(id)! - 1;
    if (holders > 0) {
      this.#holders.set(id, holders);
    } else {
      this.#holders.delete(id);
      this.#parameterBytes -= this.#store.bytesOf(id);
    }
    this.#store.release(id);
  }

  #acquire(stage: PhysicalStage): CatalogStage {
    const known = this.#stages.get(stage.key);
    if (known !== undefined) {
      known.plans++;
      return known;
    }
    const entry: CatalogStage = { stage, native: this.#compile(stage), plans: 1 };
    const ids = parametersOf(stage);
    for (let at = 0; at < ids.length; at++) this.#retain(ids[at]!);
    this.#stages.set(stage.key, entry);
    return entry;
  }

  #compile(stage: PhysicalStage): number | undefined {
    if (this.#target === undefined || stage.calls === undefined) return undefined;
    const key = skeletonKey(stage);
    let shared = this.#skeletons.get(key);
    if (shared === undefined) {
      if (!isNative(stage, this.#kernelNames)) return undefined;
      shared = { skeleton: stageSkeleton(stage, this.#target.isa, this.#kernelIds), stages: 0 };
      this.#skeletons.set(key, shared);
    }
    shared.stages++;
    try {
      return this.#target.kernels.stageCreate(stageProgram(stage, shared.skeleton, this.#store));
    } catch (error) {
      this.#leaveSkeleton(key);
      throw error;
    }
  }

  #leaveSkeleton(key: string): void {
    if (--this.#skeletons.get(key)!.stages === 0) this.#skeletons.delete(key);
  }
}

/** Every parameter a stage needs, for its steps and for its kernels, each once. */
export function parametersOf(stage: PhysicalStage): readonly ParameterId[] {
  const ids: ParameterId[] = [];
  const { steps, calls = [] } = stage;
  for (let at = 0; at < steps.length; at++) {
    const { parameters } = steps[at]!;
    for (const name in parameters) ids.push(parameters[name]!);
  }
  for (let at = 0; at < calls.length; at++) {
    const { parameters } = calls[at]!;
    for (let one = 0; one < parameters.length; one++) ids.push(parameters[one]!);
  }
  return distinct(ids);
}
