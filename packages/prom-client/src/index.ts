export { type CollectedMetrics, type CollectOptions, collectMetrics } from './collect.js';
