import type {
  CompiledPlan,
  DeviceProfile,
  ParameterId,
  ParameterValue,
  PhysicalStage,
  StageMarks,
  StagePlacement,
} from '@brezel/core';
import { chooseDevice, crossoverRows, type DeviceChoice, type DeviceCost, type DeviceWish } from './choose-device.js';
import { LoweringError } from './errors.js';
import { type LoweredStage, type LowerOptions, lowerStage, whyNotLowered } from './lower-stage.js';

export interface PlacementOptions extends LowerOptions {
  /** Rows of a block. */
  readonly rows: number;
  /** Default `auto`. */
  readonly device?: DeviceWish;
  /** The GPU; none where it is left out, and then every stage stays on the CPU. */
  readonly gpu?: DeviceProfile;
  /** Take stages whose decisions may turn out differently near a tie. Default false. */
  readonly mayJump?: boolean;
}

export interface PlacedStage extends DeviceChoice, StagePlacement {
  readonly operators: readonly string[];
  /** The model, where the device is the GPU. */
  readonly lowered?: LoweredStage;
}

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

/**
 * Chooses a device for every stage of a plan, for blocks of so many rows. Stages that have no form as tensors stay on the CPU, whatever is wished.
 *
 * @throws ERR_LOWERING_OPTION as `chooseDevice`.
 * @example console.log(printPlacement(placePlan(compiled, (id) => store.get(id), { rows: 256, gpu: defaultGpu })));
 */
export function placePlan(
  plan: CompiledPlan,
  parameters: (id: ParameterId) => ParameterValue,
  { rows, device = 'auto', gpu, mayJump = false, ...options }: PlacementOptions,
): readonly PlacedStage[] {
  return plan.stages.map(({ stage, marks }, index) => {
    const operators = stage.steps.map(({ operator }) => operator);
    const onCpu = (why: string): PlacedStage => {
      const cost = { cpuNanosPerRow: marks.nanosPerRow, flopsPerRow: 0, bytesPerRow: 0 };
      return { ...chooseDevice(cost, rows, 'cpu', undefined), stage: index, operators, why };
    };
    const obstacle = gpu === undefined && device !== 'gpu' ? 'no GPU' : whyNotLowered(stage, parameters);
    if (obstacle !== undefined) return onCpu(obstacle);
    const lowered = lowerOrWhy(stage, parameters, options);
    if (typeof lowered === 'string') return onCpu(lowered);
    if (lowered.mayJump && !mayJump) return onCpu(JUMPS);
    const cost = deviceCost(marks, lowered);
    const choice = chooseDevice(cost, rows, device, gpu);
    const fromRows = crossoverRows(cost, gpu!); // without one, the choice before has thrown
    return { ...choice, stage: index, operators, fromRows, ...(choice.device === 'gpu' ? { lowered } : {}) };
  });
}

/** Why a decision over what is not exact stays where it is. */
export const JUMPS = 'a decision reads what is not exact there';

/** A forest that would be too large stays where it is, and says so. */
export function lowerOrWhy(
  stage: PhysicalStage,
  parameters: (id: ParameterId) => ParameterValue,
  options?: LowerOptions,
): LoweredStage | string {
  try {
    return lowerStage(stage, parameters, options);
  } catch (fault) {
    if (fault instanceof LoweringError && fault.code === 'ERR_LOWERING_LIMIT') return fault.message;
    throw fault;
  }
}

/** The choice as a table for people: a line a stage, with what crosses to the device and back. */
export function printPlacement(placed: readonly PlacedStage[]): string {
  const lines = placed.map(({ stage, device, operators, transferBytes, why }) => [
    `${stage}`,
    device,
    operators.join(' → '),
    transferBytes === 0 ? '-' : `${transferBytes} bytes`,
    why,
  ]);
  const table = [['stage', 'device', 'operators', 'transfers', 'why'], ...lines];
  const widths = table[0]!.map((_, column) => Math.max(...table.map((line) => line[column]!.length)));
  return table
    .map((line) =>
      line
        .map((cell, column) => cell.padEnd(widths[column]!))
        .join('  ')
        .trimEnd(),
    )
    .join('\n');
}
