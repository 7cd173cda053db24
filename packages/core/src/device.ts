import type { CompiledPlan, ParameterId } from './plan.js';
import type { ParameterValue } from './reference-kernel.js';

/** Assumed speed of a device. The optimizer uses it to decide which stages run on the device. */
export interface DeviceProfile {
  /**
   * Fixed cost of a call in microseconds, for any number of rows: message to the worker thread,
   * kernel launch, synchronization.
   */
  readonly callMicros: number;
  /** Multiplications and additions per microsecond. */
  readonly flopsPerMicro: number;
  /** Bytes per microsecond between host memory and device memory, in either direction. */
  readonly transferBytesPerMicro: number;
}

/** An input or output of a stage that is lowered to ONNX. Its shape is `[rows, size]`. */
export interface LoweredPort {
  readonly name: string;
  readonly element: 'float32' | 'int64';
  readonly size: number;
}

/** A stage in the form that a device backend runs. */
export interface DeviceStageForm {
  /** An ONNX model whose first axis has a dynamic size. */
  readonly bytes: Uint8Array;
  /** Inputs as dense float32, in the order of the stage's inputs. */
  readonly inputs: readonly LoweredPort[];
  /** Outputs, in the order of the stage's outputs. */
  readonly outputs: readonly LoweredPort[];
  /** Bytes per row that are copied to the device and back. */
  readonly bytesPerRow: number;
  /**
   * Smallest number of rows for which the device is expected to beat one CPU thread; Infinity if it
   * never does.
   */
  readonly fromRows: number;
  /** Returns the expected CPU time for `rows` rows, in microseconds. */
  cpuMicros(rows: number): number;
  deviceMicros(rows: number): number;
}

/** The operators that a part of a cut plan takes from one stage of the original plan. */
export interface StageShare {
  /** Index of the stage in the original plan. */
  readonly stage: number;
  readonly steps: readonly number[];
}

/**
 * A plan cut into stages that run either on the device or on the CPU as a whole. It gives the same
 * answers as the original plan.
 */
export interface DevicePlanForm {
  readonly plan: CompiledPlan;
  /**
   * For each stage of the cut plan, its form for the device, or a short reason why the stage stays
   * on the CPU.
   */
  readonly forms: readonly (DeviceStageForm | string)[];
  /**
   * For each stage of the cut plan, the operators that it takes from stages of the original plan.
   */
  readonly shares: readonly (readonly StageShare[])[];
}

export interface PlanLoweringOptions {
  /** Speed of the device. Default: a cautious estimate of a data-center GPU. */
  readonly profile?: DeviceProfile;
  /**
   * True allows inexact device arithmetic before a comparison or an argmax. Near a tie the answer
   * may change.
   */
  readonly mayJump: boolean;
  /** True neither splits nor merges stages of the plan. */
  readonly keepStages: boolean;
  /**
   * Largest number of rows per call. If a stage cannot run on the device as a whole, the device
   * gets the operators that are faster there for this many rows.
   */
  readonly maxBatch: number;
  /**
   * True if the caller requested the device. Every supported stage then runs on it, even if the CPU
   * is faster.
   */
  readonly isAsked: boolean;
}

/**
 * Cuts a plan for a device and writes the ONNX models that run there. The caller passes this
 * function to the runtime.
 */
export type PlanLowering = (
  plan: CompiledPlan,
  parameters: (id: ParameterId) => ParameterValue,
  options: PlanLoweringOptions,
) => DevicePlanForm;

/** Where one stage of a plan runs. EXPLAIN prints it. */
export interface StagePlacement {
  /** Index of the stage in the plan. */
  readonly stage: number;
  readonly device: 'cpu' | 'gpu';
  /**
   * Bytes copied to the device and back for the rows of the call; 0 on the CPU. If several stages
   * run in one call, the first stage has the bytes of all of them.
   */
  readonly transferBytes: number;
  /** A short reason why the stage runs on this device. */
  readonly why: string;
  /**
   * Smallest number of rows for which the device is expected to be faster. Only set for stages that
   * have a form for the device.
   */
  readonly fromRows?: number;
  /** The backend's provider that runs the stage; set once the stage is open. */
  readonly provider?: string;
  /**
   * Indices of the steps that run on the device, when the CPU runs the other steps of the stage.
   */
  readonly steps?: readonly number[];
  /** Indices of other stages that run in the same device call. */
  readonly joined?: readonly number[];
}
