import type { StageMarks } from '@brezel/core';
import type { DeviceCost } from '../choose-device.js';
import type { LoweredStage } from '../lower-stage.js';

/** Of one thread with AVX2. A plan's own estimate of matrix operators counts what they read and write, not what they multiply. */
const CPU_FLOPS_PER_NANO = 16;

/** What a planned stage costs on either device. */
export const deviceCost = (
  marks: StageMarks,
  { productFlopsPerRow, flopsPerRow, bytesPerRow }: LoweredStage,
): DeviceCost => ({
  cpuNanosPerRow: Math.max(marks.nanosPerRow, productFlopsPerRow / CPU_FLOPS_PER_NANO),
  flopsPerRow,
  bytesPerRow,
});
