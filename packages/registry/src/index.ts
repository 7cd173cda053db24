export * from './errors.js';
export type { AliasEvent, FileEvent, RegistryEvents, ShadowAnswer, ShadowResult, UnloadReason } from './events.js';
export type { PlanFile } from './file-source.js';
export { FolderWatch, type WatchedFile, type WatchOptions } from './folder-watch.js';
export { type RegistryMetric, registryMetrics } from './metrics.js';
export type { CompileOptions, ModelFormats, OpenFleet } from './model-formats.js';
export { type FleetPlan, ModelRegistry, type ModelRegistryParts, type ModelSource } from './model-registry.js';
export type {
  AddOptions,
  BatchCallOptions,
  CanaryOptions,
  DrainOptions,
  ModelDescription,
  RegistryOptions,
  RouteBatchOptions,
  RouteCallOptions,
  RouteManyOptions,
  RouteOptions,
  RoutePredictOptions,
  ShadowOptions,
  VersionDescription,
} from './options.js';
export { checkRegistryOptions, registryOptionNames } from './options.js';
export { DEFAULT_ALIAS, parseReference, type Reference } from './reference.js';
export { PlanRegistry } from './registry.js';
export type { Route } from './route.js';
export type { LoadOptions, LoadResult, PlanSource } from './source.js';
export type {
  AliasStatistics,
  RegistryStatistics,
  ShadowStatistics,
  VersionQuarantine,
  VersionState,
  VersionStatistics,
} from './statistics.js';
export type { ModelMap, ModelOf, ReferenceTo, TypedRegistry, TypedVerbs } from './typed-registry.js';
