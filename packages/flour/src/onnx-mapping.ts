import type { NumericParameter } from '@brezel/core';
import type { FlourContext } from './context.js';
import type { Flow } from './flow.js';

/** A value that does not depend on the row: an initializer, or computed from initializers. Strings keep their own array. */
export type OnnxConstant =
  | NumericParameter
  | { readonly dtype: 'string'; readonly shape: readonly number[]; readonly data: readonly string[] };

/** A value of an ONNX graph while it is imported: constant, or one per row. */
export type OnnxValue =
  | { readonly kind: 'constant'; readonly tensor: OnnxConstant }
  | { readonly kind: 'row'; readonly flow: Flow };

/** Attributes of a node, read with their type. A missing attribute gives the default; a wrong one is an error that names the node. */
export interface OnnxAttributes {
  has(name: string): boolean;
  int(name: string, otherwise?: number): number;
  float(name: string, otherwise?: number): number;
  string(name: string, otherwise?: string): string;
  ints(name: string): number[];
  /** The same for lists of millions, in the narrowest array that holds them. */
  intArray(name: string): Int32Array | Float64Array;
  /** Positions along an axis: those beyond 2^53, the end of a slice for one, are rounded. */
  places(name: string): number[];
  floats(name: string): Float32Array;
  strings(name: string): string[];
  tensor(name: string): OnnxConstant | undefined;
  /** A number below 256 for each string of a list; `of` is asked once for each different one. For millions of a few names. */
  codes(name: string, of: (text: string) => number): Uint8Array;
  /** Strings in a list, without decoding them. */
  count(name: string): number;
  /** A checksum of the value as it lies in the file: what was decoded once from the same bytes need not be decoded again. */
  checksum(name: string): string;
}

/** What a mapping sees of a node. */
export interface OnnxUse {
  readonly flour: FlourContext;
  readonly operator: string;
  readonly opset: number;
  readonly attributes: OnnxAttributes;
  /** Whether n-grams that the exporter left unsplit are to be split: `ImportOptions.repairNgrams`. */
  readonly repairNgrams: boolean;
  /** Whether integers are the bits of a type without a sign that is as wide. */
  readonly isUnsigned?: boolean;
  /** Inputs in order; undefined where an optional one is left out. */
  readonly inputs: readonly (OnnxValue | undefined)[];
  /** Input `index` as a flow of the row; a constant there is an error. */
  row(index: number): Flow;
  /** Input `index` as a constant, or undefined where it is a row value or left out. */
  constant(index: number): OnnxConstant | undefined;
  /** Operators of the nodes that read what this one gives; `output` where the graph gives it. */
  readonly users: readonly string[];
  /** An error that names this node, its operator, domain and opset. */
  unsupported(what: string, hint?: string): Error;
  /** An error for types and attributes that no row can satisfy. It ends the import; nothing else is tried. */
  invalid(expected: string, received: string): Error;
  /** Something the file does that its author hardly meant: shown by `inspect`. */
  warn(message: string): void;
}

/**
 * How one ONNX operator is raised to Flour. Kept in the folder of the operator it means, as data and small pure functions;
 * `packages/onnx` collects them.
 */
export interface OnnxMapping {
  readonly domain: '' | 'ai.onnx.ml' | 'com.microsoft';
  readonly operator: string;
  /** Operator-set versions this mapping reads, both ends included. */
  readonly versions: readonly [number, number];
  /** The outputs in order; undefined for those nobody can use. */
  raise(use: OnnxUse): readonly (Flow | undefined)[];
  /** The shape of the first output where it is another than `[N, ...]` with the axes of the flow; the flow holds its elements in their order. */
  layout?(use: OnnxUse, output: Flow): OnnxLayout | undefined;
}

/** The shape of a value for one row alone, and the axis along which the rows lie: it has `dims[axis]` entries a row. */
export interface OnnxLayout {
  readonly dims: readonly number[];
  readonly axis: number;
}

/** Declares mappings; only types are checked here. */
export const onnxMappings = (...mappings: readonly OnnxMapping[]): readonly OnnxMapping[] => mappings;
