export * from './checksum.js';
export * from './errors.js';
export * from './memory.js';
export * from './store.js';
export * from './text/index.js';
