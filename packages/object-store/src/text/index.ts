export * from './build-dictionary.js';
export * from './case-folding.js';
export * from './char-class.js';
export * from './class-pattern.js';
export { DICTIONARY_MAGIC, DICTIONARY_VERSION, NONE } from './dictionary.js';
export * from './dictionary-reader.js';
export type { DictionarySource } from './select-grams.js';
export * from './text-program.js';
export * from './utf8.js';
