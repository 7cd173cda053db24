export { WasmInstance } from './instance.js';
export { KernelPlan, KernelPlans } from './kernel-plans.js';
export { WasmKernels } from './kernels.js';
export { wasmChecksum, wasmMemory } from './memory.js';
export { StoreKernels, ThreadKernels, type WasmStatistics } from './store-kernels.js';
export { type WasmModule, webAssembly } from './web-assembly.js';
