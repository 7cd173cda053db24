// `brezel/serve`: fleet files and runtimes, for processes that start often. It loads the compiler
// only if a file needs it.
export { BrezelError, type CompiledPlan, type OwnedPlan } from '@brezel/core';
export type { FleetContents, Golden, PlacedBlob, TrustedKey } from '@brezel/fleet-file';
export { ObjectStore } from '@brezel/object-store';
export {
  type Answer,
  type AnswerOptions,
  type BatchOptions,
  type FleetPlans,
  type FleetRegisterOptions,
  type PredictOptions,
  type RegisteredPlan,
  type RegisterOptions,
  type Row,
  type RowOptions,
  Runtime,
  type RuntimeStatistics,
} from '@brezel/runtime';
export type { RuntimeOptions } from '../create-runtime.js';
export { Fleet, type Replay } from '../fleet/fleet.js';
export type { GoldenDifference } from '../fleet/golden.js';
export type { OpenOptions } from '../fleet/open-options.js';
export { NativeError } from '../native-errors.js';
export { loadNative, openStore } from '../native-store.js';
export { createRuntime } from './create-runtime.js';
export { openFleet } from './open-fleet.js';
