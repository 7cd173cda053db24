export * from './blocks.js';
export * from './compiler.js';
export * from './errors.js';
export * from './kernels.js';
export * from './math.js';
export * from './plan.js';
export * from './sums.js';
export * from './types.js';
