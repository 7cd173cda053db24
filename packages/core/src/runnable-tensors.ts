import type { BlackBox, BlackBoxRunner } from './black-box.js';
import type { TensorPort, TensorValue } from './tensor.js';
import type { TensorKernels } from './tensor-kernels.js';

/** What one request of a tensor program may do: files and inputs decide how much they ask for. */
export interface TensorLimits {
  /** Elements of all values that are made, those of inputs and constants aside. Default 2^26. */
  readonly maxElements: number;
  /** Nodes and iterations of loops that are run. Default 10^6. */
  readonly maxSteps: number;
}

/** A tensor program as a runtime takes it. */
export interface RunnableTensors {
  readonly name: string;
  readonly inputs: readonly TensorPort[];
  readonly outputs: readonly TensorPort[];
  /** Bytes of the constants it holds. */
  readonly constantBytes: number;
  /** Its parts that other runtimes run. */
  readonly blackBoxes: readonly BlackBox[];
  /**
   * @param inputs values in the order of `inputs`, checked by the caller; undefined where an optional one is left out.
   * @param kernels run the operators that they know; without them the definitions run, with the same bits.
   * @returns values in the order of `outputs`, undefined where one is nullable and absent. They may share data with inputs, constants and each other.
   * @throws ERR_FLOUR_BLACK_BOX where it has black boxes.
   */
  run(
    inputs: readonly (TensorValue | undefined)[],
    limits?: Partial<TensorLimits>,
    kernels?: TensorKernels,
  ): readonly (TensorValue | undefined)[];
  /** The same with black boxes, which `runBox` runs; between them it is on the calling thread. */
  runLater(
    inputs: readonly (TensorValue | undefined)[],
    runBox: BlackBoxRunner,
    limits?: Partial<TensorLimits>,
    kernels?: TensorKernels,
  ): Promise<readonly (TensorValue | undefined)[]>;
}
