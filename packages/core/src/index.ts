// The declarations of all packages need these types, even if a project's `lib` and `types` options
// omit them.
/// <reference lib="esnext.disposable" preserve="true" />
/// <reference types="node" preserve="true" />
export * from './attributes.js';
export * from './backend.js';
export * from './backend-errors.js';
export * from './backend-tensors.js';
export * from './black-box.js';
export * from './blocks.js';
export * from './clock.js';
export * from './columns.js';
export * from './compiler.js';
export * from './contributions.js';
export * from './device.js';
export * from './distinct.js';
export * from './errors.js';
export * from './index-below.js';
export * from './inspect.js';
export * from './json-fields.js';
export * from './kernels.js';
export * from './math/count-sums.js';
export * from './math/erf.js';
export { exp, log, sigmoid, tanh } from './math/exponential.js';
export * from './math/half.js';
export * from './math/hyperbolic.js';
export * from './math/power.js';
export * from './math/short-float32.js';
export * from './math/small-floats.js';
export * from './math/sums.js';
export * from './math/trigonometry.js';
export * from './math/wide-integers.js';
export * from './measurement.js';
export * from './model-limits.js';
export * from './non-finite.js';
export * from './option-names.js';
export * from './plan.js';
export * from './quality.js';
export * from './random-numbers.js';
export * from './reference-kernel.js';
export * from './represents.js';
export * from './rows.js';
export * from './runnable-tensors.js';
export * from './sent-errors.js';
export * from './stage-placements.js';
export * from './tensor.js';
export * from './tensor-kernels.js';
export * from './thread.js';
export * from './types.js';
