import type { DeviceProfile } from '@brezel/core';
import { loweringError } from './errors.js';

export type Device = 'cpu' | 'gpu';

/** What the caller wants. `auto`: whichever is expected to answer sooner. */
export type DeviceWish = Device | 'auto';

/** A careful guess for a data-centre GPU over PCIe 4: 200 µs a call, 5 TFLOP/s reached, 10 GB/s. Measure your own. */
export const defaultGpu: DeviceProfile = { callMicros: 200, flopsPerMicro: 5e6, transferBytesPerMicro: 1e4 };

/** What a stage costs, from its lowered form and its marks. */
export interface DeviceCost {
  /** On one CPU thread (`marks.nanosPerRow`). */
  readonly cpuNanosPerRow: number;
  readonly flopsPerRow: number;
  readonly bytesPerRow: number;
}

export interface DeviceChoice {
  readonly device: Device;
  readonly cpuMicros: number;
  /** Infinity where there is no GPU. */
  readonly gpuMicros: number;
  /** Bytes that cross when the GPU is taken; 0 otherwise. */
  readonly transferBytes: number;
  /** In words. */
  readonly why: string;
}

/**
 * Where a block of rows of a stage should run: the CPU's time grows with the rows, the GPU's starts with the price of a call and grows by whichever
 * is slower, arithmetic or transfer. Of equals the CPU.
 *
 * @param gpu undefined where there is none: `gpu` then is a wish that cannot be met.
 * @throws ERR_LOWERING_OPTION for rows that are no positive number, and for `gpu` without one.
 * @example chooseDevice({ cpuNanosPerRow: 50_000, flopsPerRow: 2e6, bytesPerRow: 4096 }, 256, 'auto', defaultGpu).device // 'gpu'
 */
export function chooseDevice(
  cost: DeviceCost,
  rows: number,
  wish: DeviceWish,
  gpu: DeviceProfile | undefined,
): DeviceChoice {
  if (!(Number.isFinite(rows) && rows > 0)) throw outOfRange('a positive number', `${rows}`, 'rows');
  if (!['cpu', 'gpu', 'auto'].includes(wish)) throw outOfRange('cpu, gpu or auto', String(wish), 'device');
  if (wish === 'gpu' && gpu === undefined) throw outOfRange('a GPU', 'none', 'device');
  const cpuMicros = (cost.cpuNanosPerRow * rows) / 1000;
  const gpuMicros = gpu === undefined ? Number.POSITIVE_INFINITY : gpu.callMicros + rows * gpuRowMicros(cost, gpu);
  const isAsked = wish !== 'auto';
  const device = isAsked ? wish : gpuMicros < cpuMicros ? 'gpu' : 'cpu';
  return {
    device,
    cpuMicros,
    gpuMicros,
    transferBytes: device === 'gpu' ? rows * cost.bytesPerRow : 0,
    why: isAsked ? 'asked for' : reasonOf(cpuMicros, gpuMicros),
  };
}

/** Rows from which the GPU is expected to be sooner; Infinity where it never is. */
export function crossoverRows(cost: DeviceCost, gpu: DeviceProfile): number {
  const gain = cost.cpuNanosPerRow / 1000 - gpuRowMicros(cost, gpu);
  return gain > 0 ? Math.floor(gpu.callMicros / gain) + 1 : Number.POSITIVE_INFINITY;
}

/** Transfers and arithmetic of a stream of blocks overlap. */
const gpuRowMicros = ({ flopsPerRow, bytesPerRow }: DeviceCost, gpu: DeviceProfile) =>
  Math.max(flopsPerRow / gpu.flopsPerMicro, bytesPerRow / gpu.transferBytesPerMicro);

function reasonOf(cpuMicros: number, gpuMicros: number): string {
  if (gpuMicros === Number.POSITIVE_INFINITY) return 'no GPU';
  return `${shown(cpuMicros)} on the CPU, ${shown(gpuMicros)} on the GPU`;
}

const shown = (micros: number) => `${micros < 10 ? micros.toFixed(1) : Math.round(micros)} µs`;

const outOfRange = (expected: string, received: string, at: string) =>
  loweringError('ERR_LOWERING_OPTION', { expected, received, at });
