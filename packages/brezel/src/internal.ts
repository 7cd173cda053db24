/**
 * Functions of brezel for the command line only. Only packages of this workspace import
 * `brezel/internal`. The published package has no such entry point, because that package also
 * contains the command line.
 */

export { randomNumbers } from '@brezel/core';
export { FolderWatch, registryError } from '@brezel/registry';
export { sampleRows } from './fleet/sample-rows.js';
export { type AnyFileModel, type FileModel, type FileOptions, importAnyFile, importFile } from './model-file.js';
export { defaultTolerance } from './test-data/replay.js';
