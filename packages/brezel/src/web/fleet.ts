import type { Answer, CompiledPlan, InputPort, OutputPort, Row } from '@brezel/core';
import type { FleetBytes } from '@brezel/fleet-file';
import type { ObjectStore } from '@brezel/object-store';
import type { KernelPlan, KernelPlans } from '@brezel/runtime';
import { webError } from './errors.js';

/** A batch lets other tasks of the page run after this many milliseconds. */
const TURN_MS = 8;

/** A plan of a fleet, ready for predictions on this thread. */
export class WebPlan {
  readonly name: string;
  readonly inputs: readonly InputPort[];
  readonly outputs: readonly OutputPort[];
  /** The number of values that one row writes into an out-array. */
  readonly width: number;
  #plan: KernelPlan | undefined;

  /** @internal */
  constructor(plan: KernelPlan) {
    const { name, inputs, outputs, width } = plan.view;
    this.name = name;
    this.inputs = inputs;
    this.outputs = outputs;
    this.width = width;
    this.#plan = plan;
  }

  /**
   * Answers one row, with the bits that Node computes.
   *
   * Cost: the work of the plan, on this thread.
   * @throws ERR_RUNTIME_INPUT for a row that does not fit the inputs; ERR_RUNTIME_OUTPUT for an
   * out-array that is too short; ERR_WEB_CLOSED.
   */
  predictSync(row: Row): Answer;
  /** Writes the numbers of the answer to `out`, and returns it. A label is written as its index. */
  predictSync(row: Row, out: Float64Array): Float64Array;
  predictSync(row: Row, out?: Float64Array): Answer | Float64Array {
    return this.#open().predict(row, out);
  }

  /**
   * Answers many rows in order. All rows are checked before the first row runs. Other tasks of the
   * page run in between.
   *
   * @throws the errors of `predictSync`, with the index of the row.
   */
  async predictBatch(rows: readonly Row[]): Promise<Answer[]> {
    const answers = new Array<Answer>(rows.length);
    const blocks = this.#open().blocks(rows, answers);
    let start = performance.now();
    for (const block of blocks) {
      if (performance.now() - start > TURN_MS) {
        await new Promise((resolve) => setTimeout(resolve, 0));
        start = performance.now();
      }
      this.#open();
      block();
    }
    return answers;
  }

  /** @internal */
  close(): void {
    this.#plan?.release();
    this.#plan = undefined;
  }

  #open(): KernelPlan {
    if (this.#plan === undefined) throw webError('ERR_WEB_CLOSED', { at: `plan ${this.name}` });
    return this.#plan;
  }
}

/** The parts of an open fleet. */
interface Opened {
  readonly file: FleetBytes;
  readonly plans: KernelPlans;
  readonly store: ObjectStore;
  readonly maxInputBytes: number;
}

/** An open fleet. `openFleet` of `brezel/web` returns it. */
export class WebFleet {
  /** Names of the plans, in the order in which they were packed. */
  readonly names: readonly string[];
  #opened: Opened | undefined;
  readonly #known = new Map<string, WebPlan>();

  /** @internal */
  constructor(opened: Opened) {
    this.names = opened.file.names;
    this.#opened = opened;
  }

  /**
   * Returns a plan. The first call copies its parameters into the memory of WebAssembly. Plans that
   * share parameters share the copy.
   *
   * @throws ERR_STORE_MISSING when the fleet has no plan with this name; ERR_WEB_OPERATOR for
   * stages that run only in Node; ERR_RUNTIME_NATIVE when the kernels reject the plan, for example
   * because the file is damaged; ERR_WEB_MEMORY; ERR_WEB_CLOSED.
   */
  plan(name: string): WebPlan {
    const opened = this.#opened;
    if (opened === undefined) throw webError('ERR_WEB_CLOSED');
    let plan = this.#known.get(name);
    if (plan === undefined) {
      plan = new WebPlan(created(opened, name));
      this.#known.set(name, plan);
    }
    return plan;
  }

  /** Closes the fleet and its plans. The memory is freed when nothing refers to them. */
  close(): void {
    for (const plan of this.#known.values()) plan.close();
    this.#known.clear();
    this.#opened = undefined;
  }
}

function created({ file, plans, store, maxInputBytes }: Opened, name: string): KernelPlan {
  let compiled: CompiledPlan | undefined;
  try {
    compiled = file.take(name);
    return plans.add(compiled, maxInputBytes);
  } catch (cause) {
    throw toWebError(cause, name);
  } finally {
    for (const id of compiled?.parameters ?? []) store.release(id);
  }
}

/** Converts errors of kernels and of missing kernels to errors of `brezel/web`. */
function toWebError(cause: unknown, plan: string): unknown {
  const { code, message, details } = cause as { code?: string; message: string; details?: { received?: string } };
  const { code: kernelCode } = ((cause as Error).cause ?? {}) as { code?: string };
  const at = `plan ${plan}`;
  if (code === 'ERR_RUNTIME_OPERATOR')
    return webError('ERR_WEB_OPERATOR', { received: details?.received ?? message, at, cause });
  if (code === 'ERR_NATIVE_MEMORY' || kernelCode === 'ERR_NATIVE_MEMORY')
    return webError('ERR_WEB_MEMORY', { received: message, at, cause });
  return cause;
}
