import { checkOptionNames, type OptionNames } from '@brezel/core';
import { runtimeError } from './errors.js';

/**
 * Checks the names of options.
 * @throws ERR_RUNTIME_OPTION for an unknown option, with the known option that has the most similar
 * name
 */
export const checkRuntimeOptions = (options: unknown, names: OptionNames, at: string): void =>
  checkOptionNames(options, names, (details) => runtimeError('ERR_RUNTIME_OPTION', details), at);
