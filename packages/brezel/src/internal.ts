/**
 * Functions of brezel for the command line only. Only packages of this workspace import
 * `brezel/internal`. The published package has no such entry point, because that package also
 * contains the command line.
 */
export { FolderWatch, registryError } from '@brezel/registry';
export { randomNumbers } from './fleet/random-numbers.js';
export { sampleRows } from './fleet/sample-rows.js';
export { type AnyFileModel, type FileModel, importAnyFile, importFile } from './model-file.js';
export { defaultTolerance } from './test-data/replay.js';
