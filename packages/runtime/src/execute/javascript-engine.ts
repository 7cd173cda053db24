import type { Block, CompiledPlan, InputPort, KernelTable } from '@brezel/core';
import type { ObjectStore } from '@brezel/object-store';
import type { PlanBoxes } from './plan-boxes.js';
import { inputBlock } from './rows/input-blocks.js';
import type { Column } from './rows/row-schema.js';
import type { CachedResults } from './stages/cached-results.js';
import { stageWork } from './stages/stage-work.js';
import type { LaterOptions, PlanPart, Work } from './work.js';

/**
 * Runs a compiled plan in JavaScript, with the reference kernels of its operators. They define the
 * answers of the plan. Parts of the plan that are given can run elsewhere: in kernels, on devices
 * or in black boxes. The constructor reads the parameters once.
 */
export class JavaScriptEngine {
  readonly #inputs: readonly InputPort[];
  readonly #outputs: CompiledPlan['outputs'];
  readonly #work: readonly Work[];
  readonly #maxInputBytes: number;

  constructor(
    plan: CompiledPlan,
    kernels: KernelTable,
    store: ObjectStore,
    maxInputBytes: number,
    parts: readonly PlanPart[] = plan.stages.map((_, at) => at),
    results?: CachedResults | undefined,
    boxes?: PlanBoxes | undefined,
  ) {
    this.#inputs = plan.inputs;
    this.#outputs = plan.outputs;
    this.#maxInputBytes = maxInputBytes;
    this.#work = parts.map((part) =>
      typeof part === 'number' ? stageWork(plan, part, kernels, store, results, boxes) : part,
    );
  }

  /**
   * Runs a block of rows. It reads and fills the cached results of stages. No other method does.
   *
   * @param first index of the block's first row in the request, for error messages
   * @param check Called between stages and between their operators. It throws to end the run.
   * @returns one block for each output of the plan, in order.
   */
  run(columns: readonly Column[], rows: number, first = 0, check?: () => void): Block[] {
    const slots = this.#inputSlots(columns, rows, first);
    this.#work.forEach((work, at) => {
      if (at > 0) check?.();
      if (work.runCached === undefined) work.run(slots, rows, first, undefined, check);
      else work.runCached(slots, rows, first, check);
    });
    return this.#outputSlots(slots);
  }

  /**
   * Runs a block of a plan with black boxes or device stages, and waits for the threads and devices
   * that run them.
   */
  async runLater(columns: readonly Column[], rows: number, first: number, later: LaterOptions): Promise<Block[]> {
    const slots = this.#inputSlots(columns, rows, first);
    for (const work of this.#work) {
      later.check?.();
      if (work.runLater === undefined) work.run(slots, rows, first, later.nanoseconds, later.check);
      else await work.runLater(slots, rows, first, later);
    }
    return this.#outputSlots(slots);
  }

  /** Returns whether executors run a part of the plan for a block of `rows` rows. */
  usesExecutors(rows: number, later: LaterOptions): boolean {
    return this.#work.some((work) => work.runsElsewhere?.(rows, later) === true);
  }

  /** Runs a block and measures each stage. Adds the time of each stage to `nanoseconds`. */
  runTimed(
    columns: readonly Column[],
    rows: number,
    nanoseconds: Float64Array,
    first = 0,
    check?: () => void,
  ): Block[] {
    const slots = this.#inputSlots(columns, rows, first);
    this.#runWork(slots, rows, first, check, nanoseconds);
    return this.#outputSlots(slots);
  }

  /**
   * Runs a block and returns all values between stages, indexed by their slots in the plan. Values
   * inside a native segment are missing.
   */
  runToSlots(columns: readonly Column[], rows: number, first = 0, check?: () => void): Block[] {
    const slots = this.#inputSlots(columns, rows, first);
    this.#runWork(slots, rows, first, check);
    return slots;
  }

  #runWork(slots: Block[], rows: number, first: number, check?: () => void, nanoseconds?: Float64Array): void {
    this.#work.forEach((work, at) => {
      if (at > 0) check?.();
      work.run(slots, rows, first, nanoseconds, check);
    });
  }

  #inputSlots(columns: readonly Column[], rows: number, first: number): Block[] {
    return this.#inputs.map((port, at) => inputBlock(port, columns[at]!, rows, this.#maxInputBytes, first));
  }

  #outputSlots(slots: readonly Block[]): Block[] {
    return this.#outputs.map((port) => slots[port.slot]!);
  }
}
