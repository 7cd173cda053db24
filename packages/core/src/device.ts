import type { ParameterValue } from './kernels.js';
import type { ParameterId, PlannedStage } from './plan.js';

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

export interface DeviceStageOptions {
  /** Default: a careful guess for a data-centre GPU. */
  readonly profile?: DeviceProfile;
  /** Take stages whose decisions may turn out differently near a tie. */
  readonly mayJump: boolean;
}

/** Writes a stage for a device, or says in a few words why it stays on the CPU. Reaches a runtime as a value. */
export type StageLowering = (
  planned: PlannedStage,
  parameters: (id: ParameterId) => ParameterValue,
  options: DeviceStageOptions,
) => DeviceStageForm | string;

/** Where a stage of a plan runs: what EXPLAIN tells of it. */
export interface StagePlacement {
  /** Of the plan's stages, from 0. */
  readonly stage: number;
  readonly device: 'cpu' | 'gpu';
  /** Bytes that go to the device and come back, for the rows in question; 0 on the CPU. */
  readonly transferBytes: number;
  /** In a few words. */
  readonly why: string;
  /** Rows of a block from which the device is expected to be sooner; only of stages that have a form for it. */
  readonly fromRows?: number;
  /** The backend's provider that runs it, once it is open. */
  readonly provider?: string;
}
