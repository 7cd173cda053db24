import type {
  CompiledPlan,
  DevicePlanForm,
  DeviceProfile,
  DeviceStageForm,
  ParameterId,
  ParameterValue,
  PlanLowering,
  PlanLoweringOptions,
} from '@brezel/core';
import { chooseDevice, crossoverRows, type DeviceCost, defaultGpu } from './choose-device.js';
import { cutPlan } from './cut/cut-plan.js';
import { deviceCost } from './cut/device-cost.js';
import type { LoweredStage } from './lower-stage.js';

/**
 * Prepares a plan for a device: divides it into stages, and writes the models that run on the
 * device. `createRuntime` passes this function to its runtime.
 *
 * Cost: the cost of `lowerStage` for every stage on the device.
 *
 * @example
 * const options = { mayJump: false, keepStages: false, maxBatch: 4096, isAsked: false };
 * const { forms } = planForDevice(compiled, (id) => store.get(id), options);
 * for (const form of forms)
 *   console.log(typeof form === 'string' ? form : `faster from ${form.fromRows} rows`);
 */
export const planForDevice: PlanLowering = (
  plan: CompiledPlan,
  parameters: (id: ParameterId) => ParameterValue,
  { profile = defaultGpu, ...options }: PlanLoweringOptions,
): DevicePlanForm => {
  const cut = cutPlan(plan, parameters, { profile, ...options });
  const forms = cut.lowered.map((lowered, index) =>
    typeof lowered === 'string'
      ? lowered
      : formOf(lowered, deviceCost(cut.plan.stages[index]!.marks, lowered), profile),
  );
  return { plan: cut.plan, forms, shares: cut.shares };
};

function formOf(
  { bytes, inputs, outputs, bytesPerRow }: LoweredStage,
  cost: DeviceCost,
  profile: DeviceProfile,
): DeviceStageForm {
  return {
    bytes,
    inputs,
    outputs,
    bytesPerRow,
    fromRows: crossoverRows(cost, profile),
    cpuMicros: (rows) => chooseDevice(cost, rows, 'auto', profile).cpuMicros,
    deviceMicros: (rows) => chooseDevice(cost, rows, 'auto', profile).gpuMicros,
  };
}
