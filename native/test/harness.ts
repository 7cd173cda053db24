import { createRequire } from 'node:module';
import type * as Native from '@brezel/native';

const loaded = createRequire(import.meta.url)('../index.cjs') as typeof Native;
if (!loaded.addon) throw loaded.error ?? new Error('no addon');
export const addon = loaded.addon;
export const isas = addon.isas();

export const KIND = { text: 0, sparse: 1, dense: 2, dictionary: 3 } as const;
export const DTYPE = { float32: 0, float64: 1, int64: 2, int32: 3, bool: 4, label: 5 } as const;
export type Kind = keyof typeof KIND;
export type DTypeName = keyof typeof DTYPE;

let unique = 0;

/**
 * Builds a stage program call by call, and a plan with this stage only. `free` releases everything.
 */
export class Program {
  readonly slots: number[] = [];
  readonly instructions: number[] = [];
  readonly parameters: Native.ParameterHandle[] = [];
  readonly inputs: number[] = [];
  readonly outputs: number[] = [];
  width = 0;
  #release: (() => void)[] = [];

  slot(kind: Kind, size = 1, dtype: DTypeName = 'float32'): number {
    return this.slots.push(KIND[kind], DTYPE[dtype], size) / 3 - 1;
  }
  input(kind: Kind, size = 1, dtype: DTypeName = 'float32'): number {
    const slot = this.slot(kind, size, dtype);
    this.inputs.push(slot);
    return slot;
  }
  parameter(bytes: NodeJS.TypedArray): number {
    const handle = addon.parameterPut(`test/${unique++}`, bytes);
    this.#release.push(() => addon.parameterRelease(handle));
    return this.parameters.push(handle) - 1;
  }
  /** Adds a call whose output is a new slot. Returns the index of that slot. */
  call(
    kernel: string,
    inputs: readonly number[],
    output: readonly [Kind, number?, DTypeName?],
    parameters: readonly NodeJS.TypedArray[] = [],
    attributes: readonly number[] = [],
  ): number {
    const slot = this.slot(...output);
    const held = parameters.map((bytes) => this.parameter(bytes));
    this.instructions.push(addon.kernels().indexOf(kernel), inputs.length, 1, held.length, attributes.length);
    this.instructions.push(...inputs, slot, ...held, ...attributes);
    return slot;
  }
  output(slot: number): void {
    this.outputs.push(slot);
    this.width += this.slots[slot * 3 + 2]!;
  }
  source(isa: Native.Isa): Native.StageSource {
    const { slots, instructions, parameters, inputs, outputs } = this;
    return { isa, slots, instructions, parameters, inputs, outputs };
  }
  plan(isa: Native.Isa, maxInputBytes = 1 << 22): Native.PlanHandle {
    const stage = addon.stageCreate(this.source(isa));
    const [nIn, nOut] = [this.inputs.length, this.outputs.length];
    const all = Array.from({ length: nIn + nOut }, (_, at) => at);
    const plan = addon.planCreate({
      stages: [stage],
      wiring: [nIn, nOut, ...all],
      inputs: all.slice(0, nIn),
      outputs: all.slice(nIn),
      maxInputBytes,
    });
    addon.stageRelease(stage); // the plan holds the stage
    this.#release.push(() => addon.planRelease(plan));
    return plan;
  }
  /** Runs the plan on `rows` rows with one instruction set. */
  run(
    isa: Native.Isa,
    columns: readonly (readonly (string | Uint8Array)[] | Float64Array)[],
    rows: number,
  ): Float64Array {
    const out = new Float64Array(rows * this.width);
    addon.predictRows(this.plan(isa), columns, rows, out);
    return out;
  }
  free(): void {
    for (const release of this.#release.splice(0)) release();
  }
}

/** Returns the code of the error that `run` throws, or undefined. */
export function codeOf(run: () => unknown): string | undefined {
  try {
    run();
    return undefined;
  } catch (error) {
    return String((error as { code?: string }).code);
  }
}

/**
 * Returns the index of the first number that differs in a bit (any two NaN are equal), or -1.
 * Returns 0 if the lengths differ.
 */
export function firstDifference(actual: Float64Array, expected: ArrayLike<number>): number {
  if (actual.length !== expected.length) return 0;
  return actual.findIndex((value, at) => !Object.is(value, expected[at]));
}
