import type { DeviceProfile } from '@brezel/core';
import { loweringError } from './errors.js';

export type Device = 'cpu' | 'gpu';

/** The requested device. `auto` picks the device that is expected to answer first. */
export type DeviceRequest = Device | 'auto';

/**
 * A cautious estimate of a data-center GPU over PCIe 4: 200 µs per call, 5 TFLOP/s reached, 10
 * GB/s. Measure your GPU for better choices.
 */
export const defaultGpu: DeviceProfile = { callMicros: 200, flopsPerMicro: 5e6, transferBytesPerMicro: 1e4 };

/** The cost of a stage, from its lowered form and its marks. */
export interface DeviceCost {
  /** Nanoseconds per row on one CPU thread (`marks.nanosPerRow`). */
  readonly cpuNanosPerRow: number;
  readonly flopsPerRow: number;
  readonly bytesPerRow: number;
}

export interface DeviceChoice {
  readonly device: Device;
  readonly cpuMicros: number;
  /** Expected time on the GPU in microseconds; Infinity without a GPU. */
  readonly gpuMicros: number;
  /** Bytes that are copied if the GPU is chosen; 0 otherwise. */
  readonly transferBytes: number;
  /** The reason, in words. */
  readonly why: string;
}

/**
 * Chooses the device for a block of rows of a stage. On equal times it chooses the CPU.
 *
 * The CPU's time grows with the rows. The GPU's time is the cost of a call plus, per row, the
 * slower of arithmetic and transfer.
 *
 * @param gpu speed of the GPU; undefined if there is none.
 * @throws ERR_LOWERING_OPTION when `rows` is not a positive number, or when `device` is `gpu`
 * without a GPU.
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
 * Returns the number of rows from which the GPU is expected to be faster; Infinity if it never is.
 */
export function crossoverRows(cost: DeviceCost, gpu: DeviceProfile): number {
  const gain = cost.cpuNanosPerRow / 1000 - gpuRowMicros(cost, gpu);
  return gain > 0 ? Math.floor(gpu.callMicros / gain) + 1 : Number.POSITIVE_INFINITY;
}

/** Transfers and arithmetic overlap in a stream of blocks, so only the slower one counts. */
const gpuRowMicros = ({ flopsPerRow, bytesPerRow }: DeviceCost, gpu: DeviceProfile) =>
  Math.max(flopsPerRow / gpu.flopsPerMicro, bytesPerRow / gpu.transferBytesPerMicro);

function reasonOf(cpuMicros: number, gpuMicros: number): string {
  if (gpuMicros === Number.POSITIVE_INFINITY) return 'no GPU';
  return `${shown(cpuMicros)} on the CPU, ${shown(gpuMicros)} on the GPU`;
}

const shown = (micros: number) => `${micros < 10 ? micros.toFixed(1) : Math.round(micros)} µs`;

const outOfRange = (expected: string, received: string, at: string) =>
  loweringError('ERR_LOWERING_OPTION', { expected, received, at });
