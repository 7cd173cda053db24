import type { DeviceProfile } from '@brezel/core';
import { loweringError } from './errors.js';

/**
 * A device that can run a stage. `cpu` runs native kernels; `gpu` runs the stage as an ONNX model.
 */
export type Device = 'cpu' | 'gpu';

/** The requested device. `auto` selects the device that is expected to answer first. */
export type DeviceRequest = Device | 'auto';

/**
 * A cautious profile of a data center GPU over PCIe 4: 200 µs per call, 5 TFLOP/s of arithmetic, 10
 * GB/s of transfers. Pass the measured speed of your GPU to get better choices.
 */
export const defaultGpu: DeviceProfile = { callMicros: 200, flopsPerMicro: 5e6, transferBytesPerMicro: 1e4 };

/**
 * The cost of a stage for one row, on the CPU and on the GPU.
 */
export interface DeviceCost {
  /** Estimated time of one CPU thread for a row, in nanoseconds. */
  readonly cpuNanosPerRow: number;
  readonly flopsPerRow: number;
  readonly bytesPerRow: number;
}

/** The selected device for a stage, with the estimated times. */
export interface DeviceChoice {
  /** The selected device. */
  readonly device: Device;
  /** Expected time on one CPU thread in microseconds. */
  readonly cpuMicros: number;
  /** Expected time on the GPU in microseconds, or Infinity without a GPU. */
  readonly gpuMicros: number;
  /** Bytes that are copied if the GPU is selected, otherwise 0. */
  readonly transferBytes: number;
  /** Why the device was selected, in words. */
  readonly why: string;
}

/**
 * Selects the device for a block of rows of a stage. If both devices need the same time, it selects
 * the CPU.
 *
 * The CPU's time is proportional to the number of rows. The GPU's time is the cost of a call, plus
 * the cost of each row: its arithmetic or its transfer, whichever is slower.
 *
 * @param gpu speed of the GPU; undefined without a GPU.
 * @throws ERR_LOWERING_OPTION when `rows` is not a positive number, when `request` is unknown, or
 * when `request` is `gpu` without a GPU.
 * @example chooseDevice({ cpuNanosPerRow: 50_000, flopsPerRow: 2e6, bytesPerRow: 4096 }, 256, 'auto', defaultGpu).device // 'gpu'
 */
export function chooseDevice(
  cost: DeviceCost,
  rows: number,
  request: DeviceRequest,
  gpu: DeviceProfile | undefined,
): DeviceChoice {
  if (!(Number.isFinite(rows) && rows > 0)) throw outOfRange('a positive number', `${rows}`, 'rows');
  if (!['cpu', 'gpu', 'auto'].includes(request)) throw outOfRange('cpu, gpu or auto', String(request), 'device');
  if (request === 'gpu' && gpu === undefined) throw outOfRange('a GPU', 'none', 'device');
  const cpuMicros = (cost.cpuNanosPerRow * rows) / 1000;
  const gpuMicros = gpu === undefined ? Number.POSITIVE_INFINITY : gpu.callMicros + rows * gpuRowMicros(cost, gpu);
  const isAsked = request !== 'auto';
  const device = isAsked ? request : gpuMicros < cpuMicros ? 'gpu' : 'cpu';
  return {
    device,
    cpuMicros,
    gpuMicros,
    transferBytes: device === 'gpu' ? rows * cost.bytesPerRow : 0,
    why: isAsked ? 'requested' : reasonOf(cpuMicros, gpuMicros),
  };
}

/**
 * Returns the smallest number of rows for which the GPU is expected to be faster than the CPU.
 * Returns Infinity if the GPU is never faster.
 */
export function crossoverRows(cost: DeviceCost, gpu: DeviceProfile): number {
  const gain = cost.cpuNanosPerRow / 1000 - gpuRowMicros(cost, gpu);
  return gain > 0 ? Math.floor(gpu.callMicros / gain) + 1 : Number.POSITIVE_INFINITY;
}

/**
 * Returns the time of the GPU for a row in microseconds. In a stream of blocks, the GPU computes
 * one block while it transfers another block. Only the slower of computing and transferring
 * therefore adds time.
 */
const gpuRowMicros = ({ flopsPerRow, bytesPerRow }: DeviceCost, gpu: DeviceProfile) =>
  Math.max(flopsPerRow / gpu.flopsPerMicro, bytesPerRow / gpu.transferBytesPerMicro);

function reasonOf(cpuMicros: number, gpuMicros: number): string {
  if (gpuMicros === Number.POSITIVE_INFINITY) return 'no GPU';
  return `${shown(cpuMicros)} on the CPU, ${shown(gpuMicros)} on the GPU`;
}

const shown = (micros: number) => `${micros < 10 ? micros.toFixed(1) : Math.round(micros)} µs`;

const outOfRange = (expected: string, received: string, at: string) =>
  loweringError('ERR_LOWERING_OPTION', { expected, received, at });
