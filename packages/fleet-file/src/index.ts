export type { Golden, PlacedBlob, StoredPlan } from './encode.js';
export { type FleetContents, FleetFile, type FleetFileOptions } from './fleet-file.js';
export { FORMAT_VERSION, isFleetFile } from './layout.js';
export { type WrittenFleet, writeFleetFile } from './write.js';
