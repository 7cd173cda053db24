import type { InputPort } from '@brezel/core';
import type { NativeKernels } from './native-kernels.js';

/** The initial number of elements of both arrays. */
const FIRST_ROOM = 64;

/** Describes where the numbers of one input are in the row that the addon reads. */
export interface NumberPort {
  readonly port: InputPort;
  /** The number of elements of the input; 0 if no stage reads the input. */
  readonly size: number;
  readonly offset: number;
  readonly isScalar: boolean;
  /** True if every number is a valid value of the input, because its dtype is a float. */
  readonly isFloat: boolean;
}

/** The inputs of a plan whose rows contain only numbers. */
export interface NumberRow {
  readonly ports: readonly NumberPort[];
  readonly names: ReadonlySet<string>;
  /** Number of elements of a row. */
  readonly elements: number;
  readonly memory: NumberMemory;
}

/**
 * Two arrays that the addon has pinned: JavaScript writes the numbers of a row to the first one,
 * and the addon writes the answer to the second one. A call to the addon then passes two numbers.
 */
export class NumberMemory {
  readonly #kernels: NativeKernels;
  input = new Float64Array(0);
  output = new Float64Array(0);
  pair: number | undefined;
  /**
   * True while a row is read. A getter of the row may predict again, and must not overwrite the
   * array.
   */
  isReading = false;

  constructor(kernels: NativeKernels) {
    this.#kernels = kernels;
  }

  fit(inputs: number, outputs: number): void {
    if (inputs <= this.input.length && outputs <= this.output.length) return;
    const room = (needed: number, now: number) =>
      new Float64Array(new ArrayBuffer(8 * Math.max(needed, now, FIRST_ROOM)));
    const input = room(inputs, this.input.length);
    const output = room(outputs, this.output.length);
    this.pair = this.#kernels.numbersPin(input, output, this.pair);
    this.input = input;
    this.output = output;
  }
}

const memories = new WeakMap<NativeKernels, NumberMemory>();

/** Returns the memory of this thread's addon. All plans share it. */
export function numberMemory(kernels: NativeKernels): NumberMemory {
  let memory = memories.get(kernels);
  if (memory === undefined) {
    memory = new NumberMemory(kernels);
    memories.set(kernels, memory);
  }
  return memory;
}
