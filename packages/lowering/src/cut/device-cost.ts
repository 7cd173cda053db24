import type { StageMarks } from '@brezel/core';
import type { DeviceCost } from '../choose-device.js';
import type { LoweredStage } from '../lower-stage.js';

/**
 * Arithmetic speed of one thread with AVX2. The plan's estimate for matrix operators counts memory
 * accesses, not multiplications.
 */
const CPU_FLOPS_PER_NANO = 16;

/** Returns the cost of a planned stage on either device. */
export const deviceCost = (
  marks: StageMarks,
  { productFlopsPerRow, flopsPerRow, bytesPerRow }: LoweredStage,
): DeviceCost => ({
  cpuNanosPerRow: Math.max(marks.nanosPerRow, productFlopsPerRow / CPU_FLOPS_PER_NANO),
  flopsPerRow,
  bytesPerRow,
});
