export type { DeviceProfile, LoweredPort } from '@brezel/core';
export {
  chooseDevice,
  crossoverRows,
  type Device,
  type DeviceChoice,
  type DeviceCost,
  type DeviceRequest,
  defaultGpu,
} from './choose-device.js';
export { deviceCost } from './cut/device-cost.js';
export { planForDevice } from './device-plan-form.js';
export { LoweringError, loweringErrors } from './errors.js';
export { type LoweredStage, type LowerOptions, lowerStage, whyNotLowered } from './lower-stage.js';
export { loweredOperators } from './operators/index.js';
export type { ForestStrategy } from './operators/lowering.js';
export { type PlacedStage, type PlacementOptions, placePlan, printPlacement } from './place-plan.js';
