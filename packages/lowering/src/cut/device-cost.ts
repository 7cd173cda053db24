import type { StageMarks } from '@brezel/core';
import type { DeviceCost } from '../choose-device.js';
import type { LoweredStage } from '../lower-stage.js';

/**
 * Floating-point operations that one CPU thread with AVX2 does in a nanosecond. This number gives
 * the CPU time of matrix operators, because Oven's estimate (`marks.nanosPerRow`) counts memory
 * accesses and not multiplications.
 */
const CPU_FLOPS_PER_NANO = 16;

/** Returns the cost of a planned stage on both devices. */
export const deviceCost = (
  marks: StageMarks,
  { productFlopsPerRow, flopsPerRow, bytesPerRow }: LoweredStage,
): DeviceCost => ({
  cpuNanosPerRow: Math.max(marks.nanosPerRow, productFlopsPerRow / CPU_FLOPS_PER_NANO),
  flopsPerRow,
  bytesPerRow,
});
