export { isScikitLearn } from './document.js';
export { ScikitLearnError, scikitLearnErrors } from './errors.js';
export { importScikitLearn } from './import.js';
export type { ImportedScikitLearn, Precision, ScikitLearnLimits, ScikitLearnOptions } from './options.js';
