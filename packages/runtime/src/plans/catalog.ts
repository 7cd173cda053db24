import { type CompiledPlan, distinct, type ParameterId, type PhysicalStage } from '@brezel/core';
import type { ObjectStore } from '@brezel/object-store';
import { runtimeError } from '../errors.js';
import type { Isa, RowKernels } from '../execute/native/native-kernels.js';
import { atOnce, PIECE_STEPS, type Pieces } from './pieces.js';
import { sameProgram, sameStage } from './same-stage.js';
import { isNative, type StageSkeleton, stageProgram, stageSkeleton } from './stage-program.js';

/** A stage in the catalog of a runtime. All plans with this stage share the object. */
export interface CatalogStage {
  readonly stage: PhysicalStage;
  /** Handle of the stage among the kernels, or undefined if the stage runs in JavaScript. */
  readonly stageHandle: number | undefined;
  /** Where the stage runs, if it has a handle. */
  readonly engine: KernelEngine | 'javascript';
  plans: number;
}

/** The engines that run the kernels of stages: the addon, or WebAssembly without the addon. */
export type KernelEngine = 'native' | 'wasm';

/** The kernels that run stages, and the instruction set that the catalog uses. */
export interface KernelTarget {
  readonly engine: KernelEngine;
  readonly kernels: RowKernels;
  readonly isa: Isa;
  /**
   * Reports that the memory of the kernels cannot hold a stage, which then runs in JavaScript.
   * Without this function, the plan is rejected.
   */
  full?(error: unknown): void;
}

/**
 * Stores the stages of all registered plans by their keys. Equal stages are stored once, and are
 * removed with the last plan that uses them. Each stage holds one reference to each of its
 * parameters.
 */
export class Catalog {
  readonly #store: ObjectStore;
  readonly #target: KernelTarget | undefined;
  readonly #kernelIds: ReadonlyMap<string, number>;
  readonly #kernelNames: ReadonlySet<string>;
  readonly #stages = new Map<string, CatalogStage>();
  /**
   * The skeletons of native stages, by the checksum `stage.program`. A skeleton is a native stage
   * without its parameters. Stages that differ only in parameters share a skeleton, which is
   * removed with the last of these stages.
   */
  readonly #skeletons = new Map<string, SharedSkeleton[]>();
  /** The number of stages that hold each parameter. */
  readonly #holders = new Map<ParameterId, number>();
  #parameterBytes = 0;

  constructor(store: ObjectStore, target: KernelTarget | undefined) {
    this.#store = store;
    this.#target = target;
    this.#kernelIds = new Map(target?.kernels.kernels().map((name, id) => [name, id]));
    this.#kernelNames = new Set(this.#kernelIds.keys());
  }

  /** Adds the stages of a plan. If the method throws, it has added no stage. */
  add(plan: CompiledPlan): CatalogStage[] {
    return atOnce(this.addInPieces(plan));
  }

  /** Adds the stages of a plan in pieces. If the work ends with an error, it has added no stage. */
  *addInPieces({ stages }: CompiledPlan): Pieces<CatalogStage[]> {
    const added: CatalogStage[] = new Array(stages.length);
    let count = 0;
    let work = 0;
    try {
      for (; count < stages.length; count++) {
        const { stage } = stages[count]!;
        work += stepsToAdd(stage);
        if (work > PIECE_STEPS) {
          if (count > 0) yield;
          work = stepsToAdd(stage);
        }
        added[count] = this.#share(stage) ?? (yield* this.#create(stage));
      }
      return added;
    } catch (error) {
      this.remove(added.slice(0, count));
      throw error;
    }
  }

  remove(stages: readonly CatalogStage[]): void {
    for (const entry of stages) {
      if (--entry.plans > 0) continue;
      this.#stages.delete(entry.stage.key);
      this.#free(entry.stage, entry.stageHandle, parametersOf(entry.stage));
    }
  }

  get stages(): readonly CatalogStage[] {
    return [...this.#stages.values()];
  }

  /** Bytes of the parameters of all stages. Each parameter counts once. */
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

  /**
   * Counts one more plan for a known stage and returns the stage's entry. Returns undefined for a
   * new stage.
   */
  #share(stage: PhysicalStage): CatalogStage | undefined {
    const known = this.#stages.get(stage.key);
    if (known === undefined) return undefined;
    if (!sameStage(known.stage, stage)) throw differs(stage);
    known.plans++;
    return known;
  }

  *#create(stage: PhysicalStage): Pieces<CatalogStage> {
    const isLarge = stepsToAdd(stage) > PIECE_STEPS;
    const stageHandle = yield* this.#compile(stage, isLarge);
    let ids: readonly ParameterId[] = [];
    let held = 0;
    try {
      if (isLarge) yield;
      const all = uses(stage);
      if (isLarge) yield;
      ids = distinct(all);
      if (isLarge) yield;
      for (; held < ids.length; held++) {
        if (held % PIECE_STEPS === PIECE_STEPS - 1) yield;
        this.#retain(ids[held]!);
      }
      // another plan with this stage may have been registered between two pieces
      const known = this.#share(stage);
      if (known === undefined) {
        const engine = stageHandle === undefined ? 'javascript' : this.#target!.engine;
        const entry: CatalogStage = { stage, stageHandle, engine, plans: 1 };
        this.#stages.set(stage.key, entry);
        return entry;
      }
      this.#free(stage, stageHandle, ids);
      return known;
    } catch (error) {
      this.#free(stage, stageHandle, ids.slice(0, held));
      throw error;
    }
  }

  /** Releases the handle of a stage, and its references to these parameters. */
  #free(stage: PhysicalStage, stageHandle: number | undefined, held: readonly ParameterId[]): void {
    if (stageHandle !== undefined) {
      this.#target!.kernels.stageRelease(stageHandle);
      this.#leaveSkeleton(stage);
    }
    for (let at = 0; at < held.length; at++) this.#release(held[at]!);
  }

  *#compile(stage: PhysicalStage, isLarge: boolean): Pieces<number | undefined> {
    if (this.#target === undefined || stage.calls === undefined) return undefined;
    const shared = this.#skeleton(stage, this.#target.isa);
    if (shared === undefined) return undefined;
    shared.stages++;
    try {
      if (isLarge) yield;
      return this.#target.kernels.stageCreate(yield* stageProgram(stage, shared.skeleton, this.#store));
    } catch (error) {
      this.#leaveSkeleton(stage);
      const { full } = this.#target;
      if (full === undefined || (error as { code?: string }).code !== 'ERR_NATIVE_MEMORY') throw error;
      full(error);
      return undefined;
    }
  }

  /**
   * Returns the skeleton that a stage shares with stages that differ only in parameters. Returns
   * undefined if no kernels can run the stage.
   */
  #skeleton(stage: PhysicalStage, isa: Isa): SharedSkeleton | undefined {
    const known = this.#skeletons.get(stage.program);
    const found = known && skeletonOf(known, stage);
    if (found !== undefined) return found;
    if (!isNative(stage, this.#kernelNames)) return undefined;
    const added = { stage, skeleton: stageSkeleton(stage, isa, this.#kernelIds), stages: 0 };
    if (known === undefined) this.#skeletons.set(stage.program, [added]);
    else known.push(added);
    return added;
  }

  #leaveSkeleton(stage: PhysicalStage): void {
    const known = this.#skeletons.get(stage.program)!;
    const left = skeletonOf(known, stage)!;
    if (--left.stages > 0) return;
    if (known.length === 1) this.#skeletons.delete(stage.program);
    else known.splice(known.indexOf(left), 1);
  }
}

/** The number of small steps to add a stage, in addition to its operators and inputs. */
const STEPS_OF_STAGE = 10;

/** Estimates how many small steps the catalog needs to add a stage. */
const stepsToAdd = ({ inputs, steps, calls }: PhysicalStage): number =>
  STEPS_OF_STAGE + inputs.length + steps.length + (calls?.length ?? 0);

interface SharedSkeleton {
  /** The first stage with this skeleton. */
  readonly stage: PhysicalStage;
  readonly skeleton: StageSkeleton;
  stages: number;
}

function skeletonOf(known: readonly SharedSkeleton[], stage: PhysicalStage): SharedSkeleton | undefined {
  for (let at = 0; at < known.length; at++) if (sameProgram(stage, known[at]!.stage)) return known[at];
  return undefined;
}

const differs = ({ key, steps }: PhysicalStage) =>
  runtimeError('ERR_RUNTIME_STAGE', {
    expected: 'the steps and parameters of the registered stage',
    received: steps.map(({ operator }) => operator).join(', '),
    at: `stage ${key.slice(0, 8)}`,
  });

/** Returns the ids of all parameters of a stage's operators and kernel calls, each only once. */
export const parametersOf = (stage: PhysicalStage): readonly ParameterId[] => distinct(uses(stage));

/**
 * Returns the ids of the parameters of all operators and kernel calls. An id occurs once for each
 * use.
 */
function uses({ steps, calls = [] }: PhysicalStage): readonly ParameterId[] {
  let most = 0;
  for (let at = 0; at < calls.length; at++) most += calls[at]!.parameters.length;
  for (let at = 0; at < steps.length; at++) for (const _ in steps[at]!.parameters) most++;
  const ids: ParameterId[] = new Array(most);
  let count = 0;
  for (let at = 0; at < steps.length; at++) {
    const { parameters } = steps[at]!;
    for (const name in parameters) ids[count++] = parameters[name]!;
  }
  for (let at = 0; at < calls.length; at++) {
    const { parameters } = calls[at]!;
    for (let index = 0; index < parameters.length; index++) ids[count++] = parameters[index]!;
  }
  return ids;
}
