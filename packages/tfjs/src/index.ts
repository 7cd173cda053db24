export { type TfjsBackend, type TfjsMemory, type TfjsOptions, tfjsBackend } from './backend.js';
export { type TfjsProvider, tfjsProviders } from './providers.js';
