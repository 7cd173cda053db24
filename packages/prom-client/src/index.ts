export {
  type CollectedMetrics,
  type CollectOptions,
  collectMetrics,
  collectRegistryMetrics,
  type Models,
} from './collect.js';
