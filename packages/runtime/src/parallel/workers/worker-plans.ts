import { type Block, type KernelTable, systemClock } from '@brezel/core';
import type { ObjectStore } from '@brezel/object-store';
import type { RowValues } from '../../execute/answers/answers.js';
import type { NativeKernels } from '../../execute/native/native-kernels.js';
import { PlanEngines } from '../../execute/plan-engines.js';
import type { StoreKernels } from '../../execute/wasm/store-kernels.js';
import { Catalog } from '../../plans/catalog.js';
import { checkOperators } from '../../plans/check-plan.js';
import { kernelTarget } from '../../plans/kernel-target.js';
import { PlanLinker } from '../../plans/plan-linker.js';
import type { ServedPlan } from '../../plans/registered-plan.js';
import type { PlanPayload, WorkerTask } from './protocol.js';

export interface WorkerPlansParts {
  /** The object store of this worker thread. */
  readonly store: ObjectStore;
  readonly kernels: KernelTable;
  readonly native: NativeKernels | undefined;
  readonly wasm: StoreKernels | undefined;
  readonly isa: string | undefined;
}

/**
 * The plans of one worker thread. The parameters of a plan belong to the thread that has sent it.
 */
export class WorkerPlans {
  readonly #parts: WorkerPlansParts;
  readonly #catalog: Catalog;
  readonly #linker: PlanLinker;
  readonly #engines: PlanEngines;
  readonly #plans = new Map<number, { readonly record: ServedPlan; readonly gone: Int32Array }>();

  constructor(parts: WorkerPlansParts) {
    this.#parts = parts;
    const { store, kernels } = parts;
    const target = kernelTarget(parts);
    this.#catalog = new Catalog(store, target);
    this.#linker = new PlanLinker(target, store, systemClock);
    this.#engines = new PlanEngines({ store, table: kernels, target, materialization: undefined });
  }

  knows(plan: number): boolean {
    return this.#plans.has(plan);
  }

  /**
   * Adds a plan.
   * @throws ERR_RUNTIME_OPERATOR, ERR_RUNTIME_NATIVE; in that case nothing is added.
   */
  add(plan: number, { name, compiled, parameters, maxInputBytes, gone }: PlanPayload): void {
    const { store, kernels } = this.#parts;
    checkOperators(kernels, compiled);
    const taken: string[] = [];
    try {
      for (const parameter of parameters) {
        store.take(parameter);
        taken.push(parameter.id);
      }
      const stages = this.#catalog.add(compiled);
      try {
        this.#plans.set(plan, { record: this.#linker.link(name, compiled, stages, maxInputBytes), gone });
      } catch (error) {
        this.#catalog.remove(stages);
        throw error;
      }
    } finally {
      for (const id of taken) store.release(id); // the catalog holds references for its stages
    }
  }

  /** Drops the plans that the calling thread has removed from its runtime. */
  forgetGone(): void {
    for (const [plan, { record, gone }] of this.#plans) {
      if (Atomics.load(gone, 0) === 0) continue;
      this.#plans.delete(plan);
      this.#linker.unlink(record);
      this.#catalog.remove(record.stages);
    }
  }

  /**
   * Runs the rows of a task. The arrays of the values are not parts of larger buffers, so sending
   * them to another thread copies no other data.
   */
  run({ plan, columns, rows, first, isTimed }: WorkerTask): { values: RowValues; clock: Float64Array | undefined } {
    const { record } = this.#plans.get(plan)!;
    const clock = isTimed ? new Float64Array(record.stages.length) : undefined;
    const values = this.#engines.valuesOf(record, columns, rows, first, clock);
    return { values: values instanceof Float64Array ? values : values.map(ownBlock), clock };
  }

  /** Returns the number of parameter bytes that were copied since the last call of this method. */
  takeCopiedBytes(): number {
    const copied = this.#parts.store.copiedBytes - this.#counted;
    this.#counted += copied;
    return copied;
  }

  #counted = 0;
}

type Numbers = Extract<Block, { kind: 'dense' }>['values'];

/**
 * Copies a block if its arrays are parts of larger buffers, because sending an array would send its
 * whole buffer.
 */
function ownBlock(block: Block): Block {
  if (block.kind === 'dense') return { ...block, values: own(block.values) } as Block;
  if (block.kind !== 'sparse') return block;
  return { ...block, offsets: own(block.offsets), ids: own(block.ids), values: own(block.values) };
}

const own = <T extends Numbers | Uint32Array>(values: T): T =>
  (values.byteLength === values.buffer.byteLength && values.buffer instanceof ArrayBuffer
    ? values
    : values.slice()) as T;
