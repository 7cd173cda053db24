import {
  checkOptionNames,
  completeLimits,
  type ErrorDetails,
  formatLimits,
  optionNames,
  type ValueType,
} from '@brezel/core';
import { checkContext, type FlourContext, type NonFiniteChoice, type Program } from '@brezel/flour';
import { mlNetError } from './errors.js';

/** Options of `importMlNet`. */
export interface MlNetOptions {
  /** Name of the program; default: `model`. */
  readonly name?: string;
  /**
   * The columns that the program returns, by their ML.NET names. Default: the columns of the last
   * predictor (`PredictedLabel`, `Score`, `Probability`). Without a predictor: the columns of the
   * last transform.
   */
  readonly outputs?: readonly string[];
  /**
   * Types of input columns that the archive does not declare, for archives that were saved without
   * their schema.
   */
  readonly inputs?: Readonly<Record<string, ValueType>>;
  /**
   * Whether to `refuse` (default) or `allow` NaN and infinity in the numbers of models. ML.NET
   * rejects them in the weights of linear models.
   */
  readonly nonFinite?: NonFiniteChoice | undefined;
  /** The limits of an archive. */
  readonly limits?: Partial<MlNetLimits>;
}

/** Limits of the import of an ML.NET archive. */
export interface MlNetLimits {
  /** The largest archive in bytes. Default 2^28. */
  readonly fileBytes: number;
  /**
   * The largest total of unpacked bytes that the importer reads. Default 2^25, plus 16 for each
   * byte of the archive. A small archive can unpack to a thousand times its size.
   */
  readonly unpackedBytes: number;
  /** The largest number of files in the archive. Default 10,000. */
  readonly entries: number;
  /**
   * The largest number of elements in all lists whose size the archive declares, such as the
   * weights of sparse models. Each unpacked byte allows 2 more elements. Default 2^22.
   */
  readonly elements: number;
}

const defaultLimits: MlNetLimits = { fileBytes: 2 ** 28, unpackedBytes: 2 ** 25, entries: 10_000, elements: 2 ** 22 };
/** How much each byte of an archive increases the default of `unpackedBytes`. */
const UNPACKED_PER_BYTE = 16;
const limitNames: Readonly<Record<keyof MlNetLimits, true>> = formatLimits.mlnet;

/**
 * An imported model: its program, and the properties of the archive that `brezel inspect` prints.
 */
export interface ImportedMlNet {
  readonly program: Program;
  /** The producer: `ML.NET` and the version that wrote the archive. */
  readonly producer: string;
  /** The number of components of the pipeline, by their loader names. */
  readonly operators: Readonly<Record<string, number>>;
  readonly fileBytes: number;
  /** Properties of the archive that may make answers surprising, as texts for people. */
  readonly warnings: readonly string[];
}

const optionsOfMlNet = optionNames<MlNetOptions>({
  name: true,
  outputs: true,
  inputs: true,
  nonFinite: true,
  limits: true, // limitsOf reads them
});

/**
 * Checks the context and the names of the options, before the archive is read.
 * @throws ERR_MLNET_OPTION for an unknown option, or if `flour` is not a context.
 */
export function checkArguments(flour: FlourContext, options: MlNetOptions): void {
  const fail = (details: ErrorDetails) => mlNetError('ERR_MLNET_OPTION', details);
  checkContext(flour, fail, 'importMlNet');
  checkOptionNames(options, optionsOfMlNet, fail, 'importMlNet');
}

/**
 * Checks the options and returns the limits of an archive with this size.
 * @throws ERR_MLNET_OPTION for an invalid limit, or an empty list of outputs.
 */
export function limitsOf({ limits = {}, outputs }: MlNetOptions, fileBytes: number): MlNetLimits {
  const fail = (details: ErrorDetails) => mlNetError('ERR_MLNET_OPTION', details);
  const unpackedBytes = defaultLimits.unpackedBytes + UNPACKED_PER_BYTE * fileBytes;
  const completed = completeLimits(limits, { ...defaultLimits, unpackedBytes }, limitNames, fail);
  if (outputs?.length === 0)
    throw mlNetError('ERR_MLNET_OPTION', { expected: 'at least one column', received: 'none', at: 'outputs' });
  return completed;
}

/**
 * Checks that a number is not larger than the limit with this name.
 * @throws ERR_MLNET_LIMIT for a larger number.
 */
export function within<Name extends keyof MlNetLimits>(
  limits: Pick<MlNetLimits, Name>,
  name: Name,
  received: number,
  at = 'the archive',
): void {
  if (received > limits[name])
    throw mlNetError('ERR_MLNET_LIMIT', {
      expected: `at most ${limits[name]} (limits.${name})`,
      received: `${received}`,
      at,
      hint: `if you trust the file, give importMlNet a greater limit: { limits: { ${name}: ${2 ** Math.ceil(Math.log2(received) + 1)} } }`,
    });
}
