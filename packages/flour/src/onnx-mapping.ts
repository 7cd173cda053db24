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

/** A value of an ONNX graph during import: a constant, or one value per row. */
export type OnnxValue =
  | { readonly kind: 'constant'; readonly tensor: OnnxConstant }
  | { readonly kind: 'row'; readonly flow: Flow };

/**
 * The attributes of a node, with typed readers. A missing attribute has its default. An invalid one
 * is an error that names the node.
 */
export interface OnnxAttributes {
  has(name: string): boolean;
  int(name: string, otherwise?: number): number;
  float(name: string, otherwise?: number): number;
  string(name: string, otherwise?: string): string;
  ints(name: string): number[];
  /**
   * Reads a list of integers into the smaller array type that holds them, because a list may have
   * millions of integers.
   */
  intArray(name: string): Int32Array | Float64Array;
  /**
   * Reads a list of positions along an axis. Positions beyond 2^53, such as the end of an open
   * slice, are rounded.
   */
  places(name: string): number[];
  floats(name: string): Float32Array;
  strings(name: string): string[];
  /** Reads a list of strings as a parameter. With the addon, no string is created. */
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
  /** Returns a checksum of the encoded value, so that equal bytes are decoded once. */
  checksum(name: string): string;
}

/** The view of a node that a mapping uses. */
export interface OnnxUse {
  readonly flour: FlourContext;
  readonly operator: string;
  readonly opset: number;
  readonly attributes: OnnxAttributes;
  /**
   * Whether to split n-grams that the exporter wrote as one string: `ImportOptions.repairNgrams`.
   */
  readonly repairNgrams: boolean;
  /** Whether integers hold the bits of an unsigned type of the same width. */
  readonly isUnsigned?: boolean;
  /** Inputs in order. A missing optional input is undefined. */
  readonly inputs: readonly (OnnxValue | undefined)[];
  /** Returns input `index` as a flow. Throws for a constant. */
  row(index: number): Flow;
  /** Returns input `index` as a constant, or undefined for a row value or a missing input. */
  constant(index: number): OnnxConstant | undefined;
  /** Operators of the nodes that read the result, and `output` for an output of the graph. */
  readonly users: readonly string[];
  /** Returns an error that names this node, its operator, domain and opset. */
  unsupported(what: string, hint?: string): Error;
  /** Returns an error for types and attributes that no row can satisfy. It ends the import. */
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
  /** Returns the outputs in order. An output that nothing can use is undefined. */
  convert(use: OnnxUse): readonly (Flow | undefined)[];
  /**
   * Returns the shape of the first output, if it differs from `[N, ...]` with the axes of the flow.
   * The flow holds the elements in their order.
   */
  layout?(use: OnnxUse, output: Flow): OnnxLayout | undefined;
}

/**
 * The shape of a value for a single row, and its row axis. For N rows, the row axis has N *
 * `dims[axis]` entries.
 */
export interface OnnxLayout {
  readonly dims: readonly number[];
  readonly axis: number;
}

/** Declares mappings. Has no effect except the type check. */
export const onnxMappings = (...mappings: readonly OnnxMapping[]): readonly OnnxMapping[] => mappings;
