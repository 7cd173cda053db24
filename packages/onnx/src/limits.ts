import { onnxError } from './errors.js';

/**
 * The largest file in bytes: Protobuf has the same limit, and positions in a file fit in 31 bits.
 */
const MAX_FILE_BYTES = 2 ** 31 - 1;

/** The limits that apply while a file is read. */
export interface ReadLimits {
  /**
   * Size of the file. The default is protobuf's own limit, 2 GiB - 1, which is also the maximum.
   */
  readonly fileBytes: number;
  /** Nesting depth of messages; each subgraph takes three levels. */
  readonly depth: number;
  /**
   * Messages, names and dimensions in the whole file. It bounds the number of objects, at most
   * about 300 bytes each. Elements of lists are not counted.
   */
  readonly items: number;
  /**
   * The largest number of bytes of one name or description. A JavaScript string holds at most 2^29
   * characters.
   */
  readonly textBytes: number;
}

/**
 * What one import may spend. A small file can declare a huge tensor; these limits bound the work
 * and the memory that such a declaration causes.
 *
 * Every byte of the file and of its external data adds `ALLOWANCE` to `elements`, `bytes` and
 * `steps`, so that a large file is not refused for its own weights.
 */
export interface ImportLimits extends ReadLimits {
  /** Nodes of the graph; nodes of functions and subgraphs count each time they are used. */
  readonly nodes: number;
  /**
   * Elements of all lists that the import builds: columns, indices, folded constants, parameters.
   */
  readonly elements: number;
  /** The largest number of bytes of all lists that the import allocates. */
  readonly bytes: number;
  /** Elements read or written and multiplications, over all nodes. */
  readonly steps: number;
}

/**
 * Planning time grows with the square of the nodes; a pipeline has dozens, a generated graph
 * hundreds.
 */
const MAX_NODES = 10_000;

export const defaultImportLimits: ImportLimits = {
  fileBytes: MAX_FILE_BYTES,
  depth: 64,
  items: 1_000_000,
  textBytes: 2 ** 28,
  nodes: MAX_NODES,
  elements: 2 ** 22,
  bytes: 2 ** 26,
  steps: 2 ** 24,
};

/** What each byte of the file adds to the limits of an import. */
export const ALLOWANCE = { elements: 2, bytes: 16, steps: 16 } as const;

/**
 * The limits of the caller over the defaults.
 *
 * @throws ERR_ONNX_OPTION for an unknown name, and for a value that is not a whole number of 0 or
 * more.
 */
export function checkedLimits(limits: Partial<ImportLimits> = {}): ImportLimits {
  if (typeof limits !== 'object' || limits === null || Array.isArray(limits))
    throw onnxError('ERR_ONNX_OPTION', {
      expected: `limits: an object of ${Object.keys(defaultImportLimits).join(', ')}`,
      received: limits === null ? 'null' : Array.isArray(limits) ? 'an array' : typeof limits,
      at: 'limits',
    });
  const given = Object.entries(limits).filter(([, value]) => value !== undefined);
  for (const [name, value] of given) checkLimit(name, value);
  const checked: ImportLimits = { ...defaultImportLimits, ...Object.fromEntries(given) };
  return { ...checked, fileBytes: Math.min(checked.fileBytes, MAX_FILE_BYTES) };
}

function checkLimit(name: string, value: unknown): void {
  if (!Object.hasOwn(defaultImportLimits, name))
    throw onnxError('ERR_ONNX_OPTION', {
      expected: `a limit of ${Object.keys(defaultImportLimits).join(', ')}`,
      received: JSON.stringify(name),
      at: 'limits',
      hint: 'remove the unknown limit, or correct its name',
    });
  const isCount = value === Number.POSITIVE_INFINITY || (Number.isSafeInteger(value) && (value as number) >= 0);
  if (isCount) return;
  throw onnxError('ERR_ONNX_OPTION', {
    expected: 'a whole number of 0 or more, or Infinity',
    received: typeof value === 'number' ? `${value}` : typeof value,
    at: `limits.${name}`,
    hint: `leave limits.${name} out to use its default, ${defaultImportLimits[name as keyof ImportLimits]}`,
  });
}
