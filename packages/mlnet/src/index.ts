export { MlNetError, mlNetError, mlNetErrors } from './errors.js';
export { importMlNet, isMlNet } from './import.js';
export type { ImportedMlNet, MlNetLimits, MlNetOptions } from './options.js';
