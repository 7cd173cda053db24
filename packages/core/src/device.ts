import type { ParameterValue } from './kernels.js';
import type { CompiledPlan, ParameterId } from './plan.js';

/** What a device is taken to do. */
export interface DeviceProfile {
  /** Microseconds of every call, whatever its size: hop to the worker, launch, synchronization. */
  readonly callMicros: number;
  /** Multiplications and additions a microsecond. */
  readonly flopsPerMicro: number;
  /** Bytes a microsecond between the memory of the machine and that of the device, both ways. */
  readonly transferBytesPerMicro: number;
}

/** An input or output of a lowered stage: `[rows, size]`. */
export interface LoweredPort {
  readonly name: string;
  readonly element: 'float32' | 'int64';
  readonly size: number;
}

/** A stage as a runtime gives it to the backend of a device. */
export interface DeviceStageForm {
  /** An ONNX model with a free first axis. */
  readonly bytes: Uint8Array;
  /** Dense float32, in the order of the stage's inputs. */
  readonly inputs: readonly LoweredPort[];
  /** In the order of the stage's outputs. */
  readonly outputs: readonly LoweredPort[];
  /** Bytes a row that go to the device and come back. */
  readonly bytesPerRow: number;
  /** Rows from which the device is expected to be sooner than one CPU thread; Infinity where it never is. */
  readonly fromRows: number;
  /** What so many rows are expected to take, in microseconds. */
  cpuMicros(rows: number): number;
  deviceMicros(rows: number): number;
}

/** What a stage has of another: operators, by their places there. */
export interface StageShare {
  /** Of the plan's stages, from 0. */
  readonly stage: number;
  readonly steps: readonly number[];
}

/** A plan in stages of which each is a device's as a whole, or the CPU's: the same answers from the same rows. */
export interface DevicePlanForm {
  readonly plan: CompiledPlan;
  /** Of each of its stages its form for the device, or in a few words why it stays on the CPU. */
  readonly forms: readonly (DeviceStageForm | string)[];
  /** Of each of its stages what it has of those of the plan that was given. */
  readonly shares: readonly (readonly StageShare[])[];
}

export interface PlanLoweringOptions {
  /** Default: a careful guess for a data-centre GPU. */
  readonly profile?: DeviceProfile;
  /** Take what makes numbers inexact on which a decision rests: near a tie it may turn out differently. */
  readonly mayJump: boolean;
  /** Neither cut stages nor join them. */
  readonly keepStages: boolean;
  /** Most rows of a call: of a stage that it cannot have whole the device gets what it is sooner with then. */
  readonly maxBatch: number;
  /** The device was asked for: it gets every stage that it can have, whether it is sooner or not. */
  readonly isAsked: boolean;
}

/** Cuts a plan for a device, and writes what goes there. Reaches a runtime as a value. */
export type PlanLowering = (
  plan: CompiledPlan,
  parameters: (id: ParameterId) => ParameterValue,
  options: PlanLoweringOptions,
) => DevicePlanForm;

/** Where a stage of a plan runs: what EXPLAIN tells of it. */
export interface StagePlacement {
  /** Of the plan's stages, from 0. */
  readonly stage: number;
  readonly device: 'cpu' | 'gpu';
  /** Bytes that go to the device and come back, for the rows in question; 0 on the CPU. Those of a joint call count at its first stage. */
  readonly transferBytes: number;
  /** In a few words. */
  readonly why: string;
  /** Rows of a block from which the device is expected to be sooner; only of stages that have a form for it. */
  readonly fromRows?: number;
  /** The backend's provider that runs it, once it is open. */
  readonly provider?: string;
  /** Operators that the device runs, by their places in the stage, where the CPU runs the others of the stage. */
  readonly steps?: readonly number[];
  /** Other stages that go to the device in the same call. */
  readonly joined?: readonly number[];
}
