import type { CompiledPlan, ParameterId } from './plan.js';
import type { ParameterValue } from './reference-kernel.js';

/**
 * The assumed speed of a device. Brezel compares it with the speed of the CPU to choose the stages
 * that run on the device.
 */
export interface DeviceProfile {
  /**
   * Fixed cost of a call in microseconds, for any number of rows: message to the worker thread,
   * kernel launch, synchronization.
   */
  readonly callMicros: number;
  /** Multiplications and additions per microsecond. */
  readonly flopsPerMicro: number;
  /**
   * Bytes that are copied between host memory and device memory per microsecond, in either
   * direction.
   */
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
   * The smallest number of rows for which Brezel expects the device to be faster than one CPU
   * thread. Infinity if the device is never faster.
   */
  readonly fromRows: number;
  /** Returns the expected CPU time for `rows` rows, in microseconds. */
  cpuMicros(rows: number): number;
  deviceMicros(rows: number): number;
}

/**
 * A stage of a cut plan can run operators of several original stages. This type lists the operators
 * of one of these original stages.
 */
export interface StageShare {
  /** Index of the stage in the original plan. */
  readonly stage: number;
  readonly steps: readonly number[];
}

/**
 * A plan after its stages were cut for a device: each stage runs either completely on the device or
 * completely on the CPU. The cut plan gives the same answers as the original plan on the CPU.
 */
export interface DevicePlanForm {
  readonly plan: CompiledPlan;
  /**
   * For each stage of the cut plan, its form for the device, or a short reason why the stage stays
   * on the CPU.
   */
  readonly forms: readonly (DeviceStageForm | string)[];
  /**
   * For each stage of the cut plan, the operators that it runs, grouped by their stage in the
   * original plan.
   */
  readonly shares: readonly (readonly StageShare[])[];
}

export interface PlanLoweringOptions {
  /** Speed of the device. Default: a cautious estimate of a data-center GPU. */
  readonly profile?: DeviceProfile;
  /**
   * Whether the device may compute a value that is later compared, for example in a tree or an
   * argmax. Devices round differently, so a value near a threshold may change the answer.
   */
  readonly mayJump: boolean;
  /** If true, the stages of the plan stay whole: Brezel neither splits nor merges stages. */
  readonly keepStages: boolean;
  /**
   * Largest number of rows per call. If a stage cannot run on the device as a whole, the device
   * runs only some of its operators: operators that are faster on the device for this many rows.
   */
  readonly maxBatch: number;
  /**
   * True if the caller requested the device. Every supported stage then runs on it, even if the CPU
   * is faster.
   */
  readonly isAsked: boolean;
}

/**
 * A function that cuts a plan for a device and writes an ONNX model for each stage of the device.
 * The package `@brezel/lowering` implements the function, and the user passes it to the runtime.
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
   * Bytes that a call copies to the device and back, for all its rows. 0 for a stage on the CPU. If
   * several stages run in one call, the first stage has the bytes of the whole call, and the others
   * have 0.
   */
  readonly transferBytes: number;
  /** A short reason why the stage runs on this device. */
  readonly why: string;
  /**
   * The smallest number of rows for which Brezel expects the device to be faster than the CPU. Only
   * set for stages that the device can run.
   */
  readonly fromRows?: number;
  /** The provider of the backend that runs the stage. Set as soon as the stage is open. */
  readonly provider?: string;
  /**
   * Indices of the stage's operators that run on the device. Set if the CPU runs the other
   * operators of the stage.
   */
  readonly steps?: readonly number[];
  /** Indices of other stages that run in the same device call. */
  readonly joined?: readonly number[];
}
