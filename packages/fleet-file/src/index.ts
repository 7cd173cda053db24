export type { Golden, PlacedBlob, StoredPlan } from './encode.js';
export { FleetError, fleetFileError, fleetFileErrors } from './errors.js';
export { type FleetContents, FleetFile, type FleetFileOptions } from './fleet-file.js';
export { FORMAT_VERSION, isFleetFile } from './layout.js';
export type { SourceOptions } from './open-source.js';
export { checkTrustedKeys, unsignedModel } from './signature/check-signature.js';
export { checkSigningKey, readSigningKey, type TrustedKey } from './signature/keys.js';
export { type WrittenFleet, writeFleetFile } from './write.js';
