export * from './checksum.js';
export * from './errors.js';
export * from './memory.js';
export * from './own-plan.js';
export * from './store.js';
export { bytesOfStrings, encodedStrings, headOfStrings, type StringParameter } from './strings.js';
