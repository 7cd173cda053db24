import { checkOptionNames, type OptionNames } from '@brezel/core';
import { checkContext, type FlourContext } from '@brezel/flour';
import { onnxError } from './errors.js';

/**
 * Checks the names of options.
 * @throws ERR_ONNX_OPTION for an unknown option, with the nearest name.
 */
export const checkImportOptions = (options: unknown, names: OptionNames, at: string): void =>
  checkOptionNames(options, names, (details) => onnxError('ERR_ONNX_OPTION', details), at);

/**
 * Checks that the argument `flour` of an import is a context.
 * @throws ERR_ONNX_OPTION for a value that is not a context.
 */
export const checkImportContext = (flour: FlourContext, at: string): void =>
  checkContext(flour, (details) => onnxError('ERR_ONNX_OPTION', details), at);
