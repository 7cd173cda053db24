/**
 * Parts of brezel for the command line only. Only this workspace imports `brezel/internal`. The
 * published package has no such entry point, because its command line is bundled with it.
 */
export { sampleRows } from './fleet/sample-rows.js';
export { type AnyFileModel, type FileModel, importAnyFile, importFile } from './model-file.js';
export { defaultTolerance } from './test-data/replay.js';
