import { checkOptionNames, completeLimits, type ErrorDetails, formatLimits, optionNames } from '@brezel/core';
import { checkContext, type FlourContext, type Flow, type NonFiniteChoice, type Program } from '@brezel/flour';
import { gbdtError } from './errors.js';

/**
 * The possible answers of an imported model: the prediction, the margin before the objective's
 * transform, or the leaf that the row reached in each tree.
 */
export const answers = ['prediction', 'raw', 'leaves'] as const;
export type Answer = (typeof answers)[number];

/** Options of `importLightGbm` and `importXgboost`. */
export interface GbdtOptions {
  /** Name of the program; default: `model`. */
  readonly name?: string;
  /**
   * Name of the input, a vector of all features in the order of the training data; default: `x`.
   */
  readonly input?: string;
  /** The outputs of the program; default: the prediction only. */
  readonly outputs?: readonly Answer[];
  /**
   * Number of boosting rounds to use, counted from the first; default: all. After early stopping,
   * pass `best_iteration` of LightGBM, or `best_iteration + 1` of XGBoost, which counts from 0.
   */
  readonly rounds?: number;
  /**
   * How to handle NaN in thresholds, leaves or weights. Default `refuse`, because NaN means that
   * training failed. `allow` accepts the file unchanged.
   */
  readonly nonFinite?: NonFiniteChoice | undefined;
  /** The limits of the import; omitted limits have their defaults. */
  readonly limits?: Partial<GbdtLimits>;
}

/** Limits of the import of a LightGBM or XGBoost file. */
export interface GbdtLimits {
  /**
   * The largest file in bytes. Default 2^28, because the text becomes one string, and numbers take
   * several times the memory of their characters.
   */
  readonly fileBytes: number;
}

const defaultLimits: GbdtLimits = { fileBytes: 2 ** 28 };
const limitNames: Readonly<Record<keyof GbdtLimits, true>> = formatLimits.gbdt;

/** An imported model: the program, and the properties of the file that `inspect` shows. */
export interface ImportedGbdt {
  readonly program: Program;
  /** The library that wrote the file, and the version of XGBoost or of LightGBM's format. */
  readonly producer: string;
  readonly objective: string;
  /** Feature names in the order of the input vector; empty if the file has no names. */
  readonly featureNames: readonly string[];
  /**
   * How many trees, numerical splits and categorical splits the imported rounds contain, under the
   * names that `brezel inspect` prints. A linear booster of XGBoost counts as one linear model.
   */
  readonly operators: Readonly<Record<string, number>>;
  readonly fileBytes: number;
  /** Properties of the file that may make answers surprising, as texts for people. */
  readonly warnings: readonly string[];
}

const optionsOfGbdt = optionNames<GbdtOptions>({
  name: true,
  input: true,
  outputs: true,
  rounds: true,
  nonFinite: true,
  limits: true, // checkOptions reads them
});

/**
 * Checks the context and the names of the options, before the file is read.
 * @throws ERR_GBDT_OPTION for an unknown option, or if `flour` is not a context.
 */
export function checkArguments(flour: FlourContext, options: GbdtOptions, at: string): void {
  const fail = (details: ErrorDetails) => gbdtError('ERR_GBDT_OPTION', details);
  checkContext(flour, fail, at);
  checkOptionNames(options, optionsOfGbdt, fail, at);
}

/**
 * Checks the options and the size of the file.
 * @throws ERR_GBDT_OPTION for an invalid option; ERR_GBDT_LIMIT for a file that is too large.
 */
export function checkOptions(options: GbdtOptions, fileBytes: number): void {
  const { rounds, outputs = [], limits = {} } = options;
  if (rounds !== undefined && !(Number.isInteger(rounds) && rounds >= 1))
    throw gbdtError('ERR_GBDT_OPTION', { expected: 'a whole number of rounds', received: `${rounds}`, at: 'rounds' });
  const unknown = outputs.find((name) => !answers.includes(name));
  if (unknown !== undefined || (options.outputs && outputs.length === 0))
    throw gbdtError('ERR_GBDT_OPTION', {
      expected: `some of ${answers.join(', ')}`,
      received: `${unknown}`,
      at: 'outputs',
    });
  const fail = (details: ErrorDetails) => gbdtError('ERR_GBDT_OPTION', details);
  const { fileBytes: most } = completeLimits(limits, defaultLimits, limitNames, fail);
  if (fileBytes > most)
    throw gbdtError('ERR_GBDT_LIMIT', {
      expected: `at most ${most} bytes`,
      received: `${fileBytes}`,
      at: 'limits.fileBytes',
      hint: `if you trust the file, give the importer a greater limit: { limits: { fileBytes: ${fileBytes} } }`,
    });
}

/**
 * Returns the counts of `parts`, such as trees and splits, under the names that `inspect` prints.
 * Omits counts that are 0.
 */
export const counted = (library: string, parts: Readonly<Record<string, number>>): Record<string, number> =>
  Object.fromEntries(
    Object.entries(parts)
      .filter(([, count]) => count > 0)
      .map(([part, count]) => [`${library}:${part}`, count]),
  );

/**
 * The largest number of targets (numbers in a prediction) of an imported model. No known model has
 * so many, and each target takes memory for each row.
 */
export const MAX_TARGETS = 2 ** 16;

/**
 * Returns a function that computes its result at the first call and returns the same result at
 * later calls.
 */
export function once<T>(write: () => T): () => T {
  let written: { readonly value: T } | undefined;
  return () => {
    written ??= { value: write() };
    return written.value;
  };
}

/**
 * Returns a program with the requested outputs. `write` has a function for each possible output,
 * which adds the output to the program. Only the functions of the requested outputs are called.
 */
export function answering(
  flour: FlourContext,
  input: Flow,
  write: Readonly<Record<Answer, () => Flow>>,
  { name = 'model', outputs = ['prediction'] }: GbdtOptions,
): Program {
  const flows = Object.fromEntries(outputs.map((output) => [output, write[output]()]));
  return flour.program(flows, { name, inputs: [input] });
}
