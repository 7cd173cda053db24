export { type Artifact, type ArtifactStatistics, Artifacts, openArtifacts } from './artifacts/artifacts.js';
export type { PlanContent } from './artifacts/plan-contents.js';
export { Batches, type BatchStatus, openBatches, type SubmitOptions } from './batches/batches.js';
export { Catalog, openCatalog, type PushedModel } from './catalog/catalog.js';
export { CatalogFollower, type FollowerStatistics, followCatalog } from './catalog/follow.js';
export type {
  AliasState,
  CatalogAlias,
  CatalogCanary,
  CatalogModel,
  CatalogVersion,
} from './catalog/model-entry.js';
export { connectFleet, Fleet, type FleetCallOptions, type FleetStatistics } from './client/fleet.js';
export type { ConnectionOptions } from './connection/connection-options.js';
export { NatsError } from './errors.js';
export type {
  ArtifactOptions,
  BatchOptions,
  CatalogOptions,
  ClusterOptions,
  FleetOptions,
  FollowOptions,
} from './options.js';
export type { PlacedModel, PlacedServer, PlacementReport } from './placement/report.js';
export type { FleetDescription, ModelSignature } from './protocol/signature.js';
export { type ClusterServer, type ClusterStatistics, joinCluster } from './server/cluster.js';
