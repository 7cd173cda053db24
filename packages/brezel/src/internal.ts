/**
 * Parts of brezel that the command line uses and users do not. Only this workspace imports `brezel/internal`: the published package has no such entry
 * point, since its command line is bundled with it.
 */
export { sampleRows } from './fleet/sample-rows.js';
export { type AnyFileModel, type FileModel, importAnyFile, importFile } from './model-file.js';
export { defaultTolerance } from './test-data/replay.js';
