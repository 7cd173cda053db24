import { completeLimits, type ErrorDetails, formatLimits } from '@brezel/core';
import { onnxError } from './errors.js';

/**
 * The largest file in bytes. Protobuf has the same limit, and all offsets in the file then fit in
 * 31 bits.
 */
const MAX_FILE_BYTES = 2 ** 31 - 1;

/** The limits that apply while a file is read. */
export interface ReadLimits {
  /**
   * The largest file in bytes. The default, 2 GiB - 1, is protobuf's limit and also the maximum.
   */
  readonly fileBytes: number;
  /** The largest nesting depth of protobuf messages. Each ONNX subgraph adds three levels. */
  readonly depth: number;
  /**
   * The largest number of protobuf messages, names and dimensions in the file. Each of them becomes
   * a JavaScript object of at most about 300 bytes. Elements of lists are not counted.
   */
  readonly items: number;
  /**
   * The largest number of bytes of one name or description. A JavaScript string holds at most 2^29
   * characters.
   */
  readonly textBytes: number;
}

/**
 * Limits on the work and the memory of one import, because a small file can declare a huge tensor.
 *
 * Every byte of the file and of its external data adds `ALLOWANCE` to `elements`, `bytes` and
 * `steps`, and to the default of `nodes`. The weights in a large file therefore never exceed the
 * limits.
 */
export interface ImportLimits extends ReadLimits {
  /**
   * The largest number of nodes in the graph. Nodes of functions and subgraphs are counted at each
   * use. In a row program, a Split counts once for each output, and a Sum, Mean, Max, Min or Einsum
   * counts once for each input after the first.
   */
  readonly nodes: number;
  /**
   * The largest number of elements in all lists that the import builds: columns, indices, folded
   * constants, parameters.
   */
  readonly elements: number;
  /** The largest number of bytes of all lists that the import allocates. */
  readonly bytes: number;
  /**
   * The largest number of steps over all nodes. A multiplication or an element of a list counts as
   * at least one step. Slow work on one element counts as several steps: a step stands for about
   * 4 ns.
   */
  readonly steps: number;
}

/**
 * The default of `nodes`, ten times the nodes of the largest model of the test corpus. It is low
 * because a node takes few bytes of a file, but up to 0.2 ms of CPU until it is compiled. A
 * pipeline has dozens of nodes, a generated graph hundreds.
 */
const MAX_NODES = 5_000;

/** The default limits of `importOnnx` and `importTensors`. */
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

/**
 * How much each byte of the file increases the limits of an import. An int8 weight takes a byte,
 * and becomes two or more lists: the result of each node that prepares the weight, and a parameter.
 * A language model has one node for 10,000 bytes of weights or more.
 */
export const ALLOWANCE = { nodes: 1 / 2048, elements: 6, bytes: 48, steps: 96 } as const;

/** Returns the hint of an error about an exceeded limit: how to pass a greater limit. */
export const greaterLimit = (name: keyof ImportLimits, value: number): string =>
  `if you trust the file, give the importer a greater limit: { limits: { ${name}: ${value} } }`;

const limitNames: Readonly<Record<keyof ImportLimits, true>> = formatLimits.onnx;

/**
 * Returns the caller's limits, completed with the defaults.
 *
 * @throws ERR_ONNX_OPTION for an unknown name, with the nearest name, and for a value that is not a
 * non-negative integer.
 */
export function checkedLimits(limits: Partial<ImportLimits> = {}): ImportLimits {
  const fail = (details: ErrorDetails) => onnxError('ERR_ONNX_OPTION', details);
  const checked = completeLimits(limits, defaultImportLimits, limitNames, fail);
  return { ...checked, fileBytes: Math.min(checked.fileBytes, MAX_FILE_BYTES) };
}
