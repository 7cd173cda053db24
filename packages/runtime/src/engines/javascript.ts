import {
  type Block,
  BrezelError,
  type CompiledPlan,
  type InputPort,
  type KernelCall,
  type KernelTable,
  OperatorError,
  type PhysicalStage,
  type PlannedStage,
  RowError,
} from '@brezel/core';
import type { ObjectStore } from '@brezel/object-store';
import type { Column } from '../admission.js';
import type { ResultsOfStage, StageResults } from '../cache/stage-results.js';
import { runtimeError } from '../errors.js';
import { inputBlock } from '../input-blocks.js';
import type { PlanBoxes } from './plan-boxes.js';

/** How steps are run: all by their reference, or by a fast kernel where there is one. */
export type JavaScriptMode = 'reference' | 'fallback';

/** What a plan is run by: the place of a stage that runs in JavaScript, or stages that run in the addon. */
export type PlanPart = number | Work;

/** One kernel of a stage, with its parameters at hand. */
interface PreparedCall {
  readonly output: number;
  run(local: readonly Block[], rows: number): Block;
  /** Of a black box: how it is run instead. */
  runLater?(local: readonly Block[], signal: AbortSignal | undefined): Promise<Block>;
}

/** What may end a plan with black boxes. */
export interface LaterOptions {
  readonly signal?: AbortSignal | undefined;
  /** Called between operators; throws when the rows are to end. */
  readonly check?: (() => void) | undefined;
}

/**
 * A stage, or several in one call into the addon: reads and writes slots of the plan. Times are added to `nanoseconds`, by stage; `check` is called
 * between operators.
 */
export interface Work {
  run(slots: Block[], rows: number, first: number, nanoseconds?: Float64Array, check?: () => void): void;
  /** One row, where results may be kept. */
  runOne?(slots: Block[], check?: () => void): void;
  /** Where it has black boxes: how it is run instead. */
  runLater?(slots: Block[], rows: number, first: number, later: LaterOptions): Promise<void>;
}

/**
 * A compiled plan made ready to be interpreted in JavaScript. `reference` is the definition of the plan's answer; `fallback` is what runs where
 * no addon loads, with the same bits, and what runs the stages that the addon cannot. Parameters are read once, when it is made, and held as long
 * as it is.
 */
export class JavaScriptPlan {
  readonly #inputs: readonly InputPort[];
  readonly #outputs: CompiledPlan['outputs'];
  readonly #work: readonly Work[];
  readonly #maxInputBytes: number;

  constructor(
    plan: CompiledPlan,
    mode: JavaScriptMode,
    kernels: KernelTable,
    store: ObjectStore,
    maxInputBytes: number,
    parts: readonly PlanPart[] = plan.stages.map((_, at) => at),
    results?: StageResults | undefined,
    boxes?: PlanBoxes | undefined,
  ) {
    this.#inputs = plan.inputs;
    this.#outputs = plan.outputs;
    this.#maxInputBytes = maxInputBytes;
    this.#work = parts.map((part) =>
      typeof part === 'number' ? stageWork(plan, part, mode, kernels, store, results, boxes) : part,
    );
  }

  /**
   * Runs a block of rows, of which the first has the number `first`.
   *
   * @param check called between stages, and between their operators; throws when the rows are to end.
   * @returns one block an output of the plan, in order.
   */
  run(columns: readonly Column[], rows: number, first = 0, check?: () => void): Block[] {
    return this.#outputSlots(this.runToSlots(columns, rows, first, check));
  }

  /** One row that is no block: what stages made of such a row before is found again, where it is kept. */
  runOne(columns: readonly Column[], check?: () => void): Block[] {
    const slots = this.#inputSlots(columns, 1, 0);
    this.#work.forEach((work, at) => {
      if (at > 0) check?.();
      if (work.runOne === undefined) work.run(slots, 1, 0, undefined, check);
      else work.runOne(slots, check);
    });
    return this.#outputSlots(slots);
  }

  /** The same for a plan with black boxes, which other threads run meanwhile. */
  async runLater(columns: readonly Column[], rows: number, first: number, later: LaterOptions): Promise<Block[]> {
    const slots = this.#inputSlots(columns, rows, first);
    for (const work of this.#work) {
      later.check?.();
      if (work.runLater === undefined) work.run(slots, rows, first, undefined, later.check);
      else await work.runLater(slots, rows, first, later);
    }
    return this.#outputSlots(slots);
  }

  /** The same with a clock a stage, whose time is added to `nanoseconds`. */
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

  /** Every value that lies between stages, by its slot in the plan; those inside a part of the addon's are left out. */
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

/**
 * Kernels trust the plan. Plans may come out of files, and what a file lies about is found out here. A row that a kernel refuses is the caller's
 * turn, as a row that does not fit the schema; `first` is the number of the block's first row.
 */
function inStage<T>(plan: CompiledPlan, at: number, run: () => T, first = 0): T {
  try {
    return run();
  } catch (cause) {
    if (cause instanceof RowError) {
      throw runtimeError('ERR_RUNTIME_INPUT', { ...cause.details, at: `row ${first + cause.row}`, cause });
    }
    if (cause instanceof OperatorError) throw customFailure(cause, `plan ${plan.name}, stage ${at + 1}`, first);
    if (cause instanceof BrezelError) throw cause;
    const key = plan.stages[at]!.stage.key.slice(0, 8);
    throw runtimeError('ERR_RUNTIME_KERNEL', { received: (cause as Error).message, at: `stage ${key}`, cause });
  }
}

/** The number of the stage is the one that EXPLAIN shows. */
function customFailure(cause: OperatorError, place: string, first: number): Error {
  const row = cause.row === undefined ? '' : `, row ${first + cause.row}`;
  const { at: _, ...details } = cause.details;
  return runtimeError('ERR_RUNTIME_CUSTOM', { ...details, at: `${cause.operator}${row}, ${place}`, cause });
}

export function stageWork(
  plan: CompiledPlan,
  at: number,
  mode: JavaScriptMode,
  kernels: KernelTable,
  store: ObjectStore,
  kept: StageResults | undefined,
  boxes: PlanBoxes | undefined,
): Work {
  const planned = plan.stages[at]!;
  const calls = inStage(plan, at, () => prepareStage(planned.stage, mode, kernels, store, boxes));
  const run: Work['run'] = (slots, rows, first, nanoseconds, check) => {
    const start = nanoseconds && performance.now();
    const runCall = (call: PreparedCall, local: readonly Block[]) =>
      inStage(plan, at, () => call.run(local, rows), first);
    runStage(planned, calls, slots, runCall, check);
    if (start === undefined) return;
    nanoseconds![at] = nanoseconds![at]! + (performance.now() - start) * 1e6;
  };
  const isLater = calls.some((call) => call.runLater !== undefined);
  return {
    run,
    ...(isLater && {
      runLater: (slots, rows, first, later) => {
        const runCall = (call: PreparedCall, local: readonly Block[]) =>
          inStage(plan, at, () => call.run(local, rows), first);
        return runStageLater(planned, calls, slots, runCall, later);
      },
    }),
    runOne(slots, check) {
      const results = kept?.of(planned.stage.key);
      const runNow = () => run(slots, 1, 0, undefined, check);
      if (results === undefined) runNow();
      else keptOrRun(planned, results, slots, runNow, (find) => inStage(plan, at, find));
    },
  };
}

function runStage(
  { stage, inputs, outputs }: PlannedStage,
  calls: readonly PreparedCall[],
  slots: Block[],
  run: (call: PreparedCall, local: readonly Block[]) => Block,
  check: (() => void) | undefined,
): void {
  const local: Block[] = inputs.map((slot) => slots[slot]!);
  calls.forEach((call, at) => {
    if (at > 0) check?.();
    local[call.output] = run(call, local);
  });
  for (let at = 0; at < outputs.length; at++) slots[outputs[at]!] = local[stage.outputs[at]!]!;
}

async function runStageLater(
  { stage, inputs, outputs }: PlannedStage,
  calls: readonly PreparedCall[],
  slots: Block[],
  run: (call: PreparedCall, local: readonly Block[]) => Block,
  { signal, check }: LaterOptions,
): Promise<void> {
  const local: Block[] = inputs.map((slot) => slots[slot]!);
  for (const call of calls) {
    check?.();
    local[call.output] = call.runLater ? await call.runLater(local, signal) : run(call, local);
  }
  for (let at = 0; at < outputs.length; at++) slots[outputs[at]!] = local[stage.outputs[at]!]!;
}

/** One row: the stage does not run where its result is kept. */
function keptOrRun(
  { inputs, outputs }: PlannedStage,
  results: ResultsOfStage,
  slots: Block[],
  run: () => void,
  inStage: <T>(work: () => T) => T,
): void {
  const key = inStage(() => results.keyOf(inputs.map((slot) => slots[slot]!)));
  if (key === undefined) return run();
  const found = results.find(key);
  if (found === undefined) {
    run();
    inStage(() =>
      results.keep(
        key,
        outputs.map((slot) => slots[slot]!),
      ),
    );
  } else {
    for (let at = 0; at < outputs.length; at++) slots[outputs[at]!] = found[at]!;
  }
}

function prepareStage(
  stage: PhysicalStage,
  mode: JavaScriptMode,
  kernels: KernelTable,
  store: ObjectStore,
  boxes: PlanBoxes | undefined,
): PreparedCall[] {
  const step = (index: number) => prepareStep(stage, index, kernels, store, boxes);
  if (mode === 'reference' || stage.calls === undefined) return stage.steps.map((_, index) => step(index));
  return stage.calls.flatMap((call) => prepareFast(stage, call, kernels, store) ?? call.steps.map(step));
}

function prepareStep(
  stage: PhysicalStage,
  index: number,
  kernels: KernelTable,
  store: ObjectStore,
  boxes: PlanBoxes | undefined,
): PreparedCall {
  const box = boxes?.of(stage.steps[index]!);
  const { operator, version, inputs, type, attributes, parameters: ids } = stage.steps[index]!;
  const kernel = kernels.reference(operator, version)!;
  const types = [...stage.inputs, ...stage.steps.map((one) => one.type)];
  const inputTypes = inputs.map((slot) => types[slot]!);
  // The model of a black box is its backend's.
  const parameters = Object.fromEntries(
    Object.entries(box === undefined ? ids : {}).map(([name, id]) => [name, store.get(id)]),
  );
  return {
    output: stage.inputs.length + index,
    ...(box !== undefined && {
      runLater: (local: readonly Block[], signal: AbortSignal | undefined) =>
        box.run(local[inputs[0]!]!, inputTypes[0]!, signal),
    }),
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
