import type { InputPort } from '@brezel/core';
import type { RowKernels } from './native-kernels.js';

/** The initial number of elements of each array of `NumberMemory`. */
const FIRST_ROOM = 64;

/** Describes where the numbers of one input are in the row that the addon reads. */
export interface NumberPort {
  readonly port: InputPort;
  /** The number of elements of the input; 0 if no stage reads the input. */
  readonly size: number;
  readonly offset: number;
  readonly isScalar: boolean;
  /** True if the input accepts every number, because its dtype is a float. */
  readonly isFloat: boolean;
}

/** How rows of a plan are read if they contain only numbers. */
export interface NumberRow {
  readonly ports: readonly NumberPort[];
  readonly names: ReadonlySet<string>;
  /** Number of elements of a row. */
  readonly elements: number;
  readonly memory: NumberMemory;
}

/**
 * Two arrays that the addon has pinned: JavaScript writes the numbers of a row to the first array,
 * and the addon writes the answer to the second array. A call to the addon then has only two
 * arguments: the plan and the pair of arrays, both as numbers.
 */
export class NumberMemory {
  readonly #kernels: RowKernels;
  input = new Float64Array(0);
  output = new Float64Array(0);
  pair: number | undefined;
  /**
   * True while a row is read. A getter of the row may predict again, and must not overwrite the
   * array.
   */
  isReading = false;

  constructor(kernels: RowKernels) {
    this.#kernels = kernels;
  }

  fit(inputs: number, outputs: number): void {
    if (inputs <= this.input.length && outputs <= this.output.length) return;
    const room = (needed: number, now: number) =>
      new Float64Array(new ArrayBuffer(8 * Math.max(needed, now, FIRST_ROOM)));
    const input = room(inputs, this.input.length);
    const output = room(outputs, this.output.length);
    this.pair = this.#kernels.numbersPin(input, output, this.pair === undefined ? undefined : this.input);
    this.input = input;
    this.output = output;
  }
}

const memories = new WeakMap<RowKernels, NumberMemory>();

/** Returns the pinned arrays of this thread. All plans share them. */
export function numberMemory(kernels: RowKernels): NumberMemory {
  let memory = memories.get(kernels);
  if (memory === undefined) {
    memory = new NumberMemory(kernels);
    memories.set(kernels, memory);
  }
  return memory;
}
