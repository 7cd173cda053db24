import { checkOptionNames, completeLimits, type ErrorDetails, formatLimits, optionNames } from '@brezel/core';
import { checkContext, type FlourContext, type Program } from '@brezel/flour';
import { pmmlError } from './errors.js';

/** Options of `importPmml`. */
export interface PmmlOptions {
  /** Name of the program; default: `model`. */
  readonly name?: string;
  /** The outputs of the program; default: all outputs of the model. */
  readonly outputs?: readonly string[];
  /**
   * Accepted for all formats. The numbers of a PMML file are always finite, because XML numbers
   * that are NaN or infinite are rejected.
   */
  readonly nonFinite?: 'refuse' | 'allow' | undefined;
  /** The limits of the import; omitted limits have their defaults. */
  readonly limits?: Partial<PmmlLimits>;
}

/** Limits of the import of a PMML file. */
export interface PmmlLimits {
  /** The largest file in bytes. Default 2^28, because the text becomes one string. */
  readonly fileBytes: number;
  /**
   * The greatest nesting depth of XML elements, and of fields and functions that use each other.
   * Default 1,000. Greater limits count as 1,000, because the import is recursive.
   */
  readonly depth: number;
  /** The largest number of XML elements and attributes. Default 2^24. */
  readonly items: number;
  /** The largest number of expressions, models and terms of regressions. Default 5,000. */
  readonly nodes: number;
  /**
   * The largest number of elements in the parameters that the import builds. Default 2^24, plus 2
   * for each byte of the file.
   */
  readonly elements: number;
}

/** An imported model: the program, and the properties of the file that `inspect` shows. */
export interface ImportedPmml {
  readonly program: Program;
  /** The application that wrote the file, and the PMML version. */
  readonly producer: string;
  /** The number of elements of each kind that the importer converted. */
  readonly operators: Readonly<Record<string, number>>;
  readonly fileBytes: number;
  /** Properties of the file that may make answers surprising, as texts for people. */
  readonly warnings: readonly string[];
}

const optionsOfPmml = optionNames<PmmlOptions>({
  name: true,
  outputs: true,
  nonFinite: true,
  limits: true, // limitsOf reads them
});

const limitNames: Readonly<Record<keyof PmmlLimits, true>> = formatLimits.pmml;
const MOST_DEPTH = 1000;

const failOption = (details: ErrorDetails) => pmmlError('ERR_PMML_OPTION', details);

/**
 * Checks the context and the options, before the file is read.
 * @throws ERR_PMML_OPTION for an invalid option, or if `flour` is not a context.
 */
export function checkArguments(flour: FlourContext, options: PmmlOptions): void {
  checkContext(flour, failOption, 'importPmml');
  checkOptionNames(options, optionsOfPmml, failOption, 'importPmml');
  const { nonFinite, outputs } = options;
  if (nonFinite !== undefined && nonFinite !== 'refuse' && nonFinite !== 'allow')
    throw failOption({ expected: 'refuse or allow', received: `${nonFinite}`, at: 'nonFinite' });
  if (outputs?.length === 0) throw failOption({ expected: 'at least one output', received: 'none', at: 'outputs' });
}

/**
 * Returns the limits for a file with this size.
 * @throws ERR_PMML_OPTION for an invalid limit; ERR_PMML_LIMIT for a file that is too large.
 */
export function limitsOf({ limits = {} }: PmmlOptions, fileBytes: number): PmmlLimits {
  const defaults = {
    fileBytes: 2 ** 28,
    depth: MOST_DEPTH,
    items: 2 ** 24,
    nodes: 5000,
    elements: 2 ** 24 + 2 * fileBytes,
  };
  const completed = completeLimits(limits, defaults, limitNames, failOption);
  within(completed, 'fileBytes', fileBytes, 'the file');
  return { ...completed, depth: Math.min(completed.depth, MOST_DEPTH) };
}

/**
 * Checks that a number is not larger than the limit with this name.
 * @throws ERR_PMML_LIMIT for a larger number.
 */
export function within(limits: PmmlLimits, name: keyof PmmlLimits, received: number, at: string): void {
  if (received > limits[name])
    throw pmmlError('ERR_PMML_LIMIT', {
      expected: `at most ${limits[name]} (limits.${name})`,
      received: `${received}`,
      at,
      ...(name !== 'depth' && {
        hint: `if you trust the file, give the importer a greater limit: { limits: { ${name}: ${received} } }`,
      }),
    });
}
