import {
  blackBoxBytes,
  type CompiledPlan,
  type DeviceProfile,
  type ParameterId,
  type ParameterValue,
  type StagePlacement,
  stagePlacements,
} from '@brezel/core';
import { chooseDevice, crossoverRows, type DeviceChoice, type DeviceRequest, defaultGpu } from './choose-device.js';
import { type CutPlan, cutPlan } from './cut/cut-plan.js';
import { deviceCost } from './cut/device-cost.js';
import type { LoweredStage, LowerOptions } from './lower-stage.js';

/** The default of `maxBatch`. It equals the default of the runtime. */
const DEFAULT_MAX_BATCH = 4096;

/** Options of `placePlan`. */
export interface PlacementOptions extends LowerOptions {
  /** The number of rows in a call. Transfer times and computing times depend on it. */
  readonly rows: number;
  /** The requested device. Default `auto`. */
  readonly device?: DeviceRequest;
  /**
   * Speed of the GPU. Without this option, every stage stays on the CPU. But with `device: 'gpu'`,
   * a stage that could run on the GPU causes ERR_LOWERING_OPTION.
   */
  readonly gpu?: DeviceProfile;
  /**
   * Whether the GPU may run stages whose discrete results may differ from the reference near a tie.
   * Default false.
   */
  readonly mayJump?: boolean;
  /** Whether the stages of the plan stay whole, without splits and merges. Default false. */
  readonly keepStages?: boolean;
  /**
   * The largest number of rows in a call. If the GPU is faster only for more rows, the stages of
   * the plan are not split or merged for it. Default 4096.
   */
  readonly maxBatch?: number;
}

/**
 * A stage of the plan and the device that runs it. If several stages run in one call of the GPU,
 * times, bytes and `lowered` describe the whole call.
 */
export interface PlacedStage extends DeviceChoice, StagePlacement {
  readonly operators: readonly string[];
  /** The model that runs on the GPU. Undefined if the stage runs on the CPU. */
  readonly lowered?: LoweredStage;
}

/**
 * Returns the device on which each stage of a plan would run, for calls with `rows` rows. The
 * runtime decides in the same way. Adjacent stages on the GPU run in one call. Unsupported
 * operators stay on the CPU even if the GPU is requested.
 *
 * Cost: the cost of `lowerStage` for all stages.
 *
 * @throws ERR_LOWERING_OPTION as `chooseDevice` does.
 * @example console.log(printPlacement(placePlan(compiled, (id) => store.get(id), { rows: 256, gpu: defaultGpu })));
 */
export function placePlan(
  plan: CompiledPlan,
  parameters: (id: ParameterId) => ParameterValue,
  { rows, device = 'auto', gpu, mayJump = false, keepStages = false, ...more }: PlacementOptions,
): readonly PlacedStage[] {
  const { maxBatch = DEFAULT_MAX_BATCH, ...options } = more;
  const limits = { profile: gpu ?? defaultGpu, mayJump, keepStages, maxBatch, isAsked: device === 'gpu' };
  const isPossible = gpu !== undefined || device === 'gpu';
  const cut = isPossible ? cutPlan(plan, parameters, { ...options, ...limits }) : uncut(plan, 'no GPU');
  const parts = cut.plan.stages.map(({ stage, marks }, index) => {
    const lowered = cut.lowered[index]!;
    if (typeof lowered === 'string') {
      const cost = { cpuNanosPerRow: marks.nanosPerRow, flopsPerRow: 0, bytesPerRow: 0 };
      const onCpu = { ...chooseDevice(cost, rows, 'cpu', undefined), why: lowered };
      const bytes = blackBoxBytes(stage);
      if (bytes === undefined) return onCpu;
      if (!isPossible || device === 'cpu') return { ...onCpu, why: 'a black box: its backend runs it' };
      return {
        ...onCpu,
        device: 'gpu' as const,
        transferBytes: rows * bytes,
        why: 'a black box: where its backend has a provider',
      };
    }
    const cost = deviceCost(marks, lowered);
    // throws if the GPU is requested but missing
    const choice = chooseDevice(cost, rows, device, gpu);
    return { ...choice, fromRows: crossoverRows(cost, gpu!), ...(choice.device === 'gpu' && { lowered }) };
  });
  return stagePlacements(plan.stages.length, cut.shares, parts).map((placed) => {
    const { steps } = plan.stages[placed.stage]!.stage;
    return { ...placed, operators: steps.map(({ operator }) => operator) };
  });
}

const uncut = (plan: CompiledPlan, why: string): CutPlan => ({
  plan,
  lowered: plan.stages.map(() => why),
  shares: plan.stages.map(({ stage: { steps } }, stage) => [{ stage, steps: steps.map((_, index) => index) }]),
});

/**
 * Formats the placement as a table for people. Each stage is a line, with the bytes that are copied
 * to the device and back.
 */
export function printPlacement(placed: readonly PlacedStage[]): string {
  const lines = placed.map(({ stage, device, operators, steps, joined, transferBytes, why }) => [
    `${stage}`,
    steps === undefined ? device : `${device} for ${steps.map((step) => operators[step]).join(', ')}`,
    operators.join(' → '),
    transferBytes === 0 ? '-' : `${transferBytes} bytes`,
    joined === undefined ? why : `${why}; in one call with ${joined.join(', ')}`,
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
