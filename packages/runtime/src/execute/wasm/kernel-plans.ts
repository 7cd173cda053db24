import {
  type Answer,
  type Block,
  type Clock,
  type CompiledPlan,
  type OutputPort,
  type Row,
  systemClock,
} from '@brezel/core';
import type { ObjectStore } from '@brezel/object-store';
import { runtimeError } from '../../errors.js';
import { Catalog, type KernelTarget } from '../../plans/catalog.js';
import { withExactIntegers } from '../../plans/exact-integers.js';
import { passesIntegersByName } from '../../plans/integer-operators.js';
import { withPlanName } from '../../plans/kernel-target.js';
import { PlanLinker } from '../../plans/plan-linker.js';
import type { ServedPlan } from '../../plans/registered-plan.js';
import { answerFromBlocks, answerFromNumbers, numbersFromBlocks } from '../answers/answers.js';
import { checkOut } from '../answers/out-array.js';
import type { RowKernels } from '../native/native-kernels.js';
import { columnsOfRow, runRow, runRows } from '../native/request-response.js';
import { inputBlock } from '../rows/input-blocks.js';
import { admit, type Column } from '../rows/row-schema.js';

/** The number of rows of a block, as in batches of `Runtime`. */
const BLOCK_ROWS = 256;

/**
 * Plans that run on this thread with kernels alone: without a runtime, worker threads and
 * JavaScript operators.
 */
export class KernelPlans {
  readonly #store: ObjectStore;
  readonly #target: KernelTarget;
  readonly #catalog: Catalog;
  readonly #linker: PlanLinker;

  constructor(store: ObjectStore, kernels: RowKernels, clock: Clock = systemClock) {
    this.#store = store;
    this.#target = { engine: 'wasm', kernels, isa: 'baseline' };
    this.#catalog = new Catalog(store, this.#target);
    this.#linker = new PlanLinker(this.#target, store, clock);
  }

  /**
   * Adds a plan. The plan holds its parameters afterwards.
   *
   * @throws ERR_RUNTIME_OPERATOR for a stage without kernels; ERR_RUNTIME_NATIVE.
   */
  add(given: CompiledPlan, maxInputBytes: number): KernelPlan {
    // Without definitions of operators, each operator may return its integers unchanged.
    const compiled = withExactIntegers(given, { passesIntegers: passesIntegersByName });
    const missing = compiled.stages.find(({ stage }) => stage.calls === undefined);
    if (missing !== undefined)
      throw runtimeError('ERR_RUNTIME_OPERATOR', {
        expected: 'stages that run in kernels',
        received: missing.stage.steps.map(({ operator }) => operator).join(', '),
        at: `plan ${compiled.name}`,
      });
    return withPlanName(compiled.name, () => this.#link(compiled, maxInputBytes));
  }

  #link(compiled: CompiledPlan, maxInputBytes: number): KernelPlan {
    const stages = this.#catalog.add(compiled);
    try {
      const plan = this.#linker.link(compiled.name, compiled, stages, maxInputBytes);
      return new KernelPlan(plan, this.#target.kernels, () => {
        this.#linker.unlink(plan);
        this.#catalog.remove(stages);
      });
    } catch (error) {
      this.#catalog.remove(stages);
      throw error;
    }
  }

  get store(): ObjectStore {
    return this.#store;
  }
}

/** A plan of `KernelPlans`. */
export class KernelPlan {
  readonly #plan: ServedPlan;
  readonly #kernels: RowKernels;
  readonly #end: () => void;

  constructor(plan: ServedPlan, kernels: RowKernels, end: () => void) {
    this.#plan = plan;
    this.#kernels = kernels;
    this.#end = end;
  }

  get view(): Pick<ServedPlan, 'name' | 'inputs' | 'outputs' | 'width'> {
    return this.#plan;
  }

  /**
   * Answers one row: as a new object, or in `out`.
   *
   * @throws ERR_RUNTIME_INPUT, ERR_RUNTIME_OUTPUT
   */
  predict(row: Row, out?: Float64Array): Answer | Float64Array {
    const plan = this.#plan;
    if (out !== undefined) checkOut(out, plan.width, plan.name);
    if (plan.planHandle !== undefined) {
      const numbers = out ?? plan.numbers;
      runRow(plan, row, numbers, this.#kernels);
      return out ?? answerFromNumbers(plan.outputs, numbers, 0);
    }
    const blocks = this.#blocks(columnsOfRow(plan, row), 1, 0);
    if (out === undefined) return answerFromBlocks(plan.outputs, blocks, 0);
    numbersFromBlocks(plan.outputs, blocks, 0, out, 0);
    return out;
  }

  /** Checks all rows, and returns functions that answer them, block by block. */
  blocks(rows: readonly Row[], answers: Answer[]): (() => void)[] {
    const plan = this.#plan;
    const work: (() => void)[] = [];
    for (let first = 0; first < rows.length; first += BLOCK_ROWS) {
      const block = rows.slice(first, first + BLOCK_ROWS);
      const columns = admit(plan, block, first);
      work.push(() => this.#answer(columns, block.length, first, answers));
    }
    return work;
  }

  #answer(columns: readonly Column[], rows: number, first: number, answers: Answer[]): void {
    const plan = this.#plan;
    if (plan.planHandle !== undefined) {
      const numbers = new Float64Array(rows * plan.width);
      runRows(plan, columns, rows, numbers, this.#kernels, first);
      for (let row = 0; row < rows; row++)
        answers[first + row] = answerFromNumbers(plan.outputs, numbers, row * plan.width);
      return;
    }
    const blocks = this.#blocks(columns, rows, first);
    for (let row = 0; row < rows; row++) answers[first + row] = answerFromBlocks(plan.outputs, blocks, row);
  }

  /**
   * Runs a plan segment by segment if one call cannot answer it, for example because of text
   * outputs.
   */
  #blocks(columns: readonly Column[], rows: number, first: number): Block[] {
    const { inputs, outputs, maxInputBytes, parts } = this.#plan;
    const slots = inputs.map((port, at) => inputBlock(port, columns[at]!, rows, maxInputBytes, first));
    for (const part of parts!.list) {
      if (typeof part === 'number') throw new Error('a stage without kernels');
      part.run(slots, rows, first);
    }
    return outputs.map(({ slot }: OutputPort) => slots[slot]!);
  }

  release(): void {
    this.#end();
  }
}
