export { PmmlError, pmmlErrors } from './errors.js';
export { importPmml, isPmml } from './import.js';
export type { ImportedPmml, PmmlLimits, PmmlOptions } from './options.js';
