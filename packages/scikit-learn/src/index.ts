export type { Precision } from '@brezel/core';
export { isScikitLearn } from './document.js';
export { ScikitLearnError, scikitLearnErrors } from './errors.js';
export { importScikitLearn } from './import.js';
export type { ImportedScikitLearn, ScikitLearnLimits, ScikitLearnOptions } from './options.js';
