export {
  type CollectedMetrics,
  type CollectOptions,
  collectMetrics,
  collectRegistryMetrics,
  collectSelectionMetrics,
  type MeasuredSelection,
  type Models,
} from './collect.js';
export type { CandidateCounts, SelectionCounts } from './selection-metrics.js';
