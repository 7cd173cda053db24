import type { ErrorDetails } from './errors.js';
import { checkOptionNames, type OptionNames, optionNames } from './option-names.js';

/**
 * Limits on the work and the memory of one import, for model files of any format. Each importer has
 * its own defaults.
 */
export interface ModelLimits {
  /** The largest file in bytes. */
  readonly fileBytes: number;
  /** ONNX and PMML: the largest nesting depth of protobuf messages, or of XML elements. */
  readonly depth: number;
  /**
   * ONNX: the largest number of protobuf messages, names and dimensions in the file. PMML: the
   * largest number of XML elements and attributes.
   */
  readonly items: number;
  /** ONNX: the largest number of bytes of one name or description. */
  readonly textBytes: number;
  /**
   * ONNX and scikit-learn: the largest number of nodes in the file. PMML: the largest number of
   * expressions, models and terms.
   */
  readonly nodes: number;
  /**
   * ONNX, ML.NET, scikit-learn, PMML: the largest number of elements in all lists of the import.
   */
  readonly elements: number;
  /** ONNX: the largest number of bytes of all lists that the import allocates. */
  readonly bytes: number;
  /**
   * ONNX: the largest amount of work of the import: the number of elements that it reads or writes,
   * plus the number of its multiplications.
   */
  readonly steps: number;
  /** ML.NET: the largest number of files in the archive. */
  readonly entries: number;
  /** ML.NET: the largest total of unpacked bytes that the importer reads. */
  readonly unpackedBytes: number;
}

/** The names of the limits of each importer. `gbdt` reads LightGBM and XGBoost files. */
export const formatLimits = {
  onnx: {
    fileBytes: true,
    depth: true,
    items: true,
    textBytes: true,
    nodes: true,
    elements: true,
    bytes: true,
    steps: true,
  },
  gbdt: { fileBytes: true },
  mlnet: { fileBytes: true, unpackedBytes: true, entries: true, elements: true },
  scikitLearn: { fileBytes: true, nodes: true, elements: true },
  pmml: { fileBytes: true, depth: true, items: true, nodes: true, elements: true },
} as const;

/** The names of the limits of all formats. */
export const modelLimitNames = optionNames<ModelLimits>({ ...formatLimits.onnx, ...formatLimits.mlnet });

/**
 * Checks the names and the values of limits. An undefined limit means its default.
 *
 * @param fail creates the error of the package.
 * @throws the error of `fail`: for an unknown name, with the nearest name; for a value that is
 * neither a whole number nor Infinity.
 */
export function checkLimits(limits: unknown, names: OptionNames, fail: (details: ErrorDetails) => Error): void {
  if (Array.isArray(limits)) throw fail({ expected: 'an object of limits', received: 'an array', at: 'limits' });
  checkOptionNames(limits, names, fail, 'limits');
  for (const [name, value] of Object.entries(limits as object)) {
    const isCount = value === Number.POSITIVE_INFINITY || (Number.isSafeInteger(value) && value >= 0);
    if (value === undefined || isCount) continue;
    throw fail({
      expected: 'a whole number of 0 or more, or Infinity',
      received: typeof value === 'number' ? `${value}` : value === null ? 'null' : typeof value,
      at: `limits.${name}`,
      hint: `leave limits.${name} out to use its default`,
    });
  }
}

/**
 * Checks limits as `checkLimits` does, and returns them completed with defaults.
 *
 * @param defaults the default of each limit in `names`.
 */
export function completeLimits<Limits extends object>(
  limits: Partial<Limits>,
  defaults: Limits,
  names: OptionNames,
  fail: (details: ErrorDetails) => Error,
): Limits {
  checkLimits(limits, names, fail);
  const given = Object.entries(limits).filter(([, value]) => value !== undefined);
  return { ...defaults, ...Object.fromEntries(given) };
}
