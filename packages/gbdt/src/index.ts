export * from './errors.js';
export { importLightGbm, isLightGbm } from './lightgbm/import.js';
export type { Answer, GbdtLimits, GbdtOptions, ImportedGbdt } from './options.js';
export { importXgboost, isXgboost } from './xgboost/import.js';
