import type { BlackBox, BlackBoxRunner } from './black-box.js';
import type { TensorPort, TensorValue } from './tensor.js';
import type { TensorKernels } from './tensor-kernels.js';

/**
 * Limits of one request to a tensor program. Without them, files and inputs could demand any amount
 * of memory and time.
 */
export interface TensorLimits {
  /**
   * The largest total number of elements in computed values. Inputs and constants do not count.
   * Default 2^26.
   */
  readonly maxElements: number;
  /** The largest number of executed nodes and loop iterations. Default 10^6. */
  readonly maxSteps: number;
}

/**
 * Divides the run of a tensor program into slices of time, so that the event loop runs between
 * them. A request can contain the number of iterations of a loop, so its run can be long.
 */
export interface TensorSlices {
  /**
   * Returns whether the current slice is over. The program calls this function after every node,
   * also in subgraphs.
   */
  isOver(): boolean;
  /** Waits for the next slice. If the promise rejects, the request ends. */
  next(): Promise<void>;
}

/** A tensor program in the form that a runtime runs. */
export interface RunnableTensors {
  readonly name: string;
  readonly inputs: readonly TensorPort[];
  readonly outputs: readonly TensorPort[];
  /** Bytes of the constants that the program holds. */
  readonly constantBytes: number;
  /** The parts of the program that other runtimes run. */
  readonly blackBoxes: readonly BlackBox[];
  /**
   * Runs the program on the calling thread, without a pause. `maxSteps` limits its time.
   *
   * @param inputs values in the order of `inputs`, checked by the caller; undefined for an omitted
   * optional input.
   * @param kernels fast kernels for some operators. Other operators run their definitions; the bits
   * are the same.
   * @returns values in the order of `outputs`; undefined for a nullable output without a value.
   * They may share data with inputs, constants and each other.
   * @throws ERR_FLOUR_BLACK_BOX when the program has black boxes.
   */
  run(
    inputs: readonly (TensorValue | undefined)[],
    limits?: Partial<TensorLimits>,
    kernels?: TensorKernels,
  ): readonly (TensorValue | undefined)[];
  /**
   * Runs the program in slices of time. `runBox` runs its black boxes, and the calling thread runs
   * all other nodes. The first slice runs before the promise is returned.
   */
  runLater(
    inputs: readonly (TensorValue | undefined)[],
    runBox: BlackBoxRunner,
    slices: TensorSlices,
    limits?: Partial<TensorLimits>,
    kernels?: TensorKernels,
  ): Promise<readonly (TensorValue | undefined)[]>;
}
