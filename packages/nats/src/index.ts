export { type Artifact, type ArtifactStatistics, Artifacts, openArtifacts } from './artifacts/artifacts.js';
export { type ClusterServer, type ClusterStatistics, joinCluster } from './cluster.js';
export type { ConnectionOptions } from './connection-options.js';
export { NatsError } from './errors.js';
export { connectFleet, Fleet, type FleetCallOptions, type FleetStatistics } from './fleet.js';
export type { ArtifactOptions, ClusterOptions, FleetOptions } from './options.js';
export type { FleetDescription, ModelSignature } from './signature.js';
