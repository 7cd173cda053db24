import type {
  DeviceStageForm,
  DeviceStageOptions,
  ParameterId,
  ParameterValue,
  PlannedStage,
  StageLowering,
} from '@brezel/core';
import { chooseDevice, crossoverRows, defaultGpu } from './choose-device.js';
import { whyNotLowered } from './lower-stage.js';
import { deviceCost, JUMPS, lowerOrWhy } from './place-plan.js';

/**
 * A stage in the form in which a runtime gives it to a device, or why it stays on the CPU. What `createRuntime` lowers stages with.
 *
 * Cost: as `lowerStage`.
 *
 * @example
 * const form = stageForDevice(plan.stages[1], (id) => store.get(id), { mayJump: false });
 * console.log(typeof form === 'string' ? form : `sooner from ${form.fromRows} rows`);
 */
export const stageForDevice: StageLowering = (
  planned: PlannedStage,
  parameters: (id: ParameterId) => ParameterValue,
  { profile = defaultGpu, mayJump }: DeviceStageOptions,
): DeviceStageForm | string => {
  const { stage, marks } = planned;
  const lowered = whyNotLowered(stage, parameters) ?? lowerOrWhy(stage, parameters);
  if (typeof lowered === 'string') return lowered;
  if (lowered.mayJump && !mayJump) return JUMPS;
  const cost = deviceCost(marks, lowered);
  const { bytes, inputs, outputs, bytesPerRow } = lowered;
  return {
    bytes,
    inputs,
    outputs,
    bytesPerRow,
    fromRows: crossoverRows(cost, profile),
    cpuMicros: (rows) => chooseDevice(cost, rows, 'auto', profile).cpuMicros,
    deviceMicros: (rows) => chooseDevice(cost, rows, 'auto', profile).gpuMicros,
  };
};
