import {
  checkOptionNames,
  completeLimits,
  type ErrorDetails,
  formatLimits,
  optionNames,
  type Precision,
  precisions,
} from '@brezel/core';
import { checkContext, type FlourContext, type NonFiniteChoice, type Program } from '@brezel/flour';
import { scikitLearnError } from './errors.js';

/** Options of `importScikitLearn`. */
export interface ScikitLearnOptions {
  /** Name of the program; default: `model`. */
  readonly name?: string;
  /** The outputs of the program; default: all outputs of the file. */
  readonly outputs?: readonly string[];
  /** The type in which the program computes. Default `float64`. */
  readonly precision?: Precision | undefined;
  /**
   * Whether to `refuse` (default) or `allow` NaN and infinity in learned numbers, such as weights
   * and thresholds.
   */
  readonly nonFinite?: NonFiniteChoice | undefined;
  /** The limits of the import; omitted limits have their defaults. */
  readonly limits?: Partial<ScikitLearnLimits>;
}

/** Limits of the import of a file of brezel_export.py. */
export interface ScikitLearnLimits {
  /** The largest file in bytes. Default 2^28, because the text becomes one string. */
  readonly fileBytes: number;
  /**
   * The largest number of nodes in the file, plus 2 for each factor of the longest product of a
   * node `products`. Default 2,000.
   */
  readonly nodes: number;
  /**
   * The largest number of elements in the rows of all nodes and in the parameters that the import
   * builds. Default 2^24, plus 2 for each byte of the file.
   */
  readonly elements: number;
}

/** An imported model: the program, and the properties of the file that `inspect` shows. */
export interface ImportedScikitLearn {
  readonly program: Program;
  /** `scikit-learn` and its version. */
  readonly producer: string;
  /** The number of nodes of each kind. */
  readonly operators: Readonly<Record<string, number>>;
  readonly fileBytes: number;
  /** Properties of the file that may make answers surprising, as texts for people. */
  readonly warnings: readonly string[];
}

const optionsOfScikitLearn = optionNames<ScikitLearnOptions>({
  name: true,
  outputs: true,
  precision: true,
  nonFinite: true,
  limits: true, // limitsOf reads them
});

const limitNames: Readonly<Record<keyof ScikitLearnLimits, true>> = formatLimits.scikitLearn;
const NODES = 2000;
const ELEMENTS = 2 ** 24;

const failOption = (details: ErrorDetails) => scikitLearnError('ERR_SKLEARN_OPTION', details);

/**
 * Checks the context and the options, before the file is read.
 * @throws ERR_SKLEARN_OPTION for an invalid option, or if `flour` is not a context.
 */
export function checkArguments(flour: FlourContext, options: ScikitLearnOptions): void {
  checkContext(flour, failOption, 'importScikitLearn');
  checkOptionNames(options, optionsOfScikitLearn, failOption, 'importScikitLearn');
  const { precision, outputs } = options;
  if (precision !== undefined && !precisions.includes(precision))
    throw failOption({ expected: precisions.join(' or '), received: `${precision}`, at: 'precision' });
  if (outputs?.length === 0) throw failOption({ expected: 'at least one output', received: 'none', at: 'outputs' });
}

/**
 * Returns the limits for a file with this size.
 * @throws ERR_SKLEARN_OPTION for an invalid limit; ERR_SKLEARN_LIMIT for a file that is too large.
 */
export function limitsOf({ limits = {} }: ScikitLearnOptions, fileBytes: number): ScikitLearnLimits {
  const defaults = { fileBytes: 2 ** 28, nodes: NODES, elements: ELEMENTS + 2 * fileBytes };
  const completed = completeLimits(limits, defaults, limitNames, failOption);
  within(completed, 'fileBytes', fileBytes, 'the file');
  return completed;
}

/**
 * Checks that a number is not larger than the limit with this name.
 * @throws ERR_SKLEARN_LIMIT for a larger number.
 */
export function within(limits: ScikitLearnLimits, name: keyof ScikitLearnLimits, received: number, at: string): void {
  if (received > limits[name])
    throw scikitLearnError('ERR_SKLEARN_LIMIT', {
      expected: `at most ${limits[name]} (limits.${name})`,
      received: `${received}`,
      at,
    });
}
