import {
  type Block,
  BrezelError,
  type CompiledPlan,
  type InputPort,
  type KernelCall,
  type KernelTable,
  type PhysicalStage,
  type PlannedStage,
  RowError,
} from '@brezel/core';
import type { ObjectStore } from '@brezel/object-store';
import type { Column } from '../admission.js';
import { runtimeError } from '../errors.js';
import { inputBlock } from '../input-blocks.js';

/** How steps are run: all by their reference, or by a fast kernel where there is one. */
export type JavaScriptMode = 'reference' | 'fallback';

/** One kernel of a stage, with its parameters at hand. */
interface PreparedCall {
  readonly output: number;
  run(local: readonly Block[], rows: number): Block;
}

interface PreparedStage {
  readonly planned: PlannedStage;
  readonly calls: readonly PreparedCall[];
}

/**
 * A compiled plan made ready to be interpreted in JavaScript. `reference` is the definition of the plan's answer; `fallback` is what runs where
 * no addon loads, with the same bits. Parameters are read once, when it is made, and held as long as it is.
 */
export class JavaScriptPlan {
  readonly #inputs: readonly InputPort[];
  readonly #outputs: CompiledPlan['outputs'];
  readonly #stages: readonly PreparedStage[];
  readonly #maxInputBytes: number;

  constructor(
    plan: CompiledPlan,
    mode: JavaScriptMode,
    kernels: KernelTable,
    store: ObjectStore,
    maxInputBytes: number,
  ) {
    this.#inputs = plan.inputs;
    this.#outputs = plan.outputs;
    this.#maxInputBytes = maxInputBytes;
    this.#stages = plan.stages.map((planned) => ({
      planned,
      calls: inStage(planned.stage, () => prepareStage(planned.stage, mode, kernels, store)),
    }));
  }

  /** Runs a block of rows, of which the first has the number `first`. @returns one block an output of the plan, in order. */
  run(columns: readonly Column[], rows: number, first = 0): Block[] {
    return this.#outputSlots(this.runToSlots(columns, rows, first));
  }

  /** The same with a clock a stage, whose time is added to `nanoseconds`. */
  runTimed(columns: readonly Column[], rows: number, nanoseconds: Float64Array, first = 0): Block[] {
    const slots = this.#inputSlots(columns, rows, first);
    this.#stages.forEach((stage, at) => {
      const start = performance.now();
      runStage(stage, slots, rows, first);
      nanoseconds[at] = nanoseconds[at]! + (performance.now() - start) * 1e6;
    });
    return this.#outputSlots(slots);
  }

  /** Every value that lies between stages, by its slot in the plan. */
  runToSlots(columns: readonly Column[], rows: number, first = 0): Block[] {
    const slots = this.#inputSlots(columns, rows, first);
    for (const stage of this.#stages) runStage(stage, slots, rows, first);
    return slots;
  }

  #inputSlots(columns: readonly Column[], rows: number, first: number): Block[] {
    return this.#inputs.map((port, at) => inputBlock(port, columns[at]!, rows, this.#maxInputBytes, first));
  }

  #outputSlots(slots: readonly Block[]): Block[] {
    return this.#outputs.map((port) => slots[port.slot]!);
  }
}

/**
 * Kernels trust the plan. Plans may come out of files, and what a file lies about is found out here. A row that a kernel refuses is the caller's
 * turn, as a row that does not fit the schema; `first` is the number of the block's first row.
 */
function inStage<T>(stage: PhysicalStage, run: () => T, first = 0): T {
  try {
    return run();
  } catch (cause) {
    if (cause instanceof RowError) {
      const at = `row ${first + cause.row}`;
      throw runtimeError('ERR_RUNTIME_INPUT', { ...cause.details, at, cause });
    }
    if (cause instanceof BrezelError) throw cause;
    const at = `stage ${stage.key.slice(0, 8)}`;
    throw runtimeError('ERR_RUNTIME_KERNEL', { received: (cause as Error).message, at, cause });
  }
}

function runStage({ planned, calls }: PreparedStage, slots: Block[], rows: number, first: number): void {
  const { stage, inputs, outputs } = planned;
  const local: Block[] = inputs.map((slot) => slots[slot]!);
  const runCalls = () => {
    for (const call of calls) local[call.output] = call.run(local, rows);
  };
  inStage(stage, runCalls, first);
  for (let at = 0; at < outputs.length; at++) slots[outputs[at]!] = local[stage.outputs[at]!]!;
}

function prepareStage(
  stage: PhysicalStage,
  mode: JavaScriptMode,
  kernels: KernelTable,
  store: ObjectStore,
): PreparedCall[] {
  const step = (index: number) => prepareStep(stage, index, kernels, store);
  if (mode === 'reference' || stage.calls === undefined) return stage.steps.map((_, index) => step(index));
  return stage.calls.flatMap((call) => prepareFast(stage, call, kernels, store) ?? call.steps.map(step));
}

function prepareStep(stage: PhysicalStage, index: number, kernels: KernelTable, store: ObjectStore): PreparedCall {
  const { operator, inputs, type, attributes, parameters: ids } = stage.steps[index]!;
  const kernel = kernels.reference[operator]!;
  const types = [...stage.inputs, ...stage.steps.map((one) => one.type)];
  const inputTypes = inputs.map((slot) => types[slot]!);
  const parameters = Object.fromEntries(Object.entries(ids).map(([name, id]) => [name, store.get(id)]));
  return {
    output: stage.inputs.length + index,
    run: (local, rows) =>
      kernel({ rows, inputs: inputs.map((slot) => local[slot]!), inputTypes, type, attributes, parameters }),
  };
}

function prepareFast(
  stage: PhysicalStage,
  { kernel: name, inputs, output, attributes, parameters: ids }: KernelCall,
  kernels: KernelTable,
  store: ObjectStore,
): PreparedCall | undefined {
  const kernel = kernels.fast[name];
  if (kernel === undefined) return undefined;
  const { type } = stage.steps[output - stage.inputs.length]!;
  const parameters = ids.map((id) => store.bytes(id));
  return {
    output,
    run: (local, rows) => kernel({ rows, inputs: inputs.map((slot) => local[slot]!), type, attributes, parameters }),
  };
}
