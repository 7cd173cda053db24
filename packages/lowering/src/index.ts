export type { DeviceProfile, LoweredPort } from '@brezel/core';
export {
  chooseDevice,
  crossoverRows,
  type Device,
  type DeviceChoice,
  type DeviceCost,
  type DeviceWish,
  defaultGpu,
} from './choose-device.js';
export { stageForDevice } from './device-stage-form.js';
export { LoweringError, loweringErrors } from './errors.js';
export { type LoweredStage, type LowerOptions, lowerStage, whyNotLowered } from './lower-stage.js';
export type { ForestStrategy } from './operators/forest.js';
export { loweredOperators } from './operators/index.js';
export { deviceCost, type PlacedStage, type PlacementOptions, placePlan, printPlacement } from './place-plan.js';
