import type { NumericParameter } from '@brezel/core';
import type { DistinctStrings, StringParameter } from '@brezel/object-store';
import type { FlourContext } from './context.js';
import type { Flow } from './flow.js';

/**
 * A value that does not depend on the row: an initializer, or a value computed from initializers.
 */
export type OnnxConstant =
  | NumericParameter
  | { readonly dtype: 'string'; readonly shape: readonly number[]; readonly data: readonly string[] };

/** A value of an ONNX graph during import: a constant, or a flow with one value for each row. */
export type OnnxValue =
  | { readonly kind: 'constant'; readonly tensor: OnnxConstant }
  | { readonly kind: 'row'; readonly flow: Flow };

/**
 * Reads the attributes of an ONNX node by name and type. For a missing attribute, a method returns
 * the default. For an invalid attribute, it throws an error that names the node.
 */
export interface OnnxAttributes {
  has(name: string): boolean;
  int(name: string, otherwise?: number): number;
  float(name: string, otherwise?: number): number;
  string(name: string, otherwise?: string): string;
  ints(name: string): number[];
  /**
   * Reads a list of integers as an Int32Array if they fit, otherwise as a Float64Array. A list may
   * have millions of integers.
   */
  intArray(name: string): Int32Array | Float64Array;
  /**
   * Reads a list of indices along an axis. Indices beyond 2^53 are rounded; a Slice without an end
   * has such an index.
   */
  places(name: string): number[];
  floats(name: string): Float32Array;
  strings(name: string): string[];
  /**
   * Reads a list of strings as a parameter. If the addon is loaded, it reads the bytes without
   * creating JavaScript strings.
   */
  stringParameter(name: string): StringParameter;
  /**
   * Reads the distinct strings of a list. Returns undefined without the addon, and for a list that
   * is not UTF-8.
   */
  distinctStrings(name: string): DistinctStrings | undefined;
  tensor(name: string): OnnxConstant | undefined;
  /**
   * Maps each string of a list to a number below 256. Calls `of` once per distinct string, because
   * a list may repeat a few names millions of times.
   */
  codes(name: string, of: (text: string) => number): Uint8Array;
  /** Returns the number of strings in a list, without decoding them. */
  count(name: string): number;
  /** Returns a checksum of the encoded value. Callers use it to decode equal attributes once. */
  checksum(name: string): string;
}

/** The parts of an ONNX node that a mapping reads. `OnnxMapping.convert` receives it. */
export interface OnnxUse {
  readonly flour: FlourContext;
  readonly operator: string;
  readonly opset: number;
  readonly attributes: OnnxAttributes;
  /**
   * The option `ImportOptions.repairNgrams`: whether to split n-grams that the exporter wrote as
   * one string.
   */
  readonly repairNgrams: boolean;
  /** Whether signed integers of this node hold the bits of unsigned integers of the same width. */
  readonly isUnsigned?: boolean;
  /** The inputs of the node in order. A missing optional input is undefined. */
  readonly inputs: readonly (OnnxValue | undefined)[];
  /** Returns input `index` as a flow. Throws for a constant. */
  row(index: number): Flow;
  /** Returns input `index` as a constant, or undefined for a row value or a missing input. */
  constant(index: number): OnnxConstant | undefined;
  /**
   * The operators of the nodes that read the result of this node. `output` stands for an output of
   * the graph.
   */
  readonly users: readonly string[];
  /** Returns an error that names this node, its operator, domain and opset. */
  unsupported(what: string, hint?: string): Error;
  /**
   * Returns the error for a node whose types or attributes are invalid, so that no runtime could
   * run it. If a mapping throws this error, the import ends.
   */
  invalid(expected: string, received: string): Error;
  /** Reports a likely mistake in the file. `inspect` shows it. */
  warn(message: string): void;
}

/**
 * Converts one ONNX operator to Flour. Each mapping is in the folder of its operator, as data and
 * small pure functions. `packages/onnx` collects them.
 */
export interface OnnxMapping {
  readonly domain: '' | 'ai.onnx.ml' | 'com.microsoft';
  readonly operator: string;
  /** Operator-set versions that the mapping supports, both ends included. */
  readonly versions: readonly [number, number];
  /**
   * Converts the node. Returns its outputs in order. An output that no operator of Brezel can read
   * is undefined.
   */
  convert(use: OnnxUse): readonly (Flow | undefined)[];
  /**
   * Returns the ONNX shape of the first output if it differs from the default: the row axis, then
   * the axes of the flow. The flow contains the elements in the order of the ONNX shape.
   */
  layout?(use: OnnxUse, output: Flow): OnnxLayout | undefined;
}

/**
 * The shape that an ONNX value has for a single row, and the axis along which rows are joined. For
 * N rows, the size of this axis is N * `dims[axis]`.
 */
export interface OnnxLayout {
  readonly dims: readonly number[];
  readonly axis: number;
}

/** Returns its arguments. TypeScript checks the type of each mapping. */
export const onnxMappings = (...mappings: readonly OnnxMapping[]): readonly OnnxMapping[] => mappings;
