import { BrezelError } from '@brezel/core';
import type { FlourContext, Flow } from '@brezel/flour';
import type { ImportBudget } from '../../import-budget.js';
import type { Graph } from '../../recognize/index.js';
import type { RowNode } from '../row-node.js';
import type { GraphValue } from '../value.js';

/** The outputs of a node in order; undefined for an output that programs by rows do not have. */
export type Values = readonly (GraphValue | undefined)[];

/** Why a strategy does not convert a node. */
export interface Unsupported {
  readonly unsupported: {
    readonly reason: string;
    /**
     * The import ends with the error of the last strategy that gives one, if no strategy converts
     * the node.
     */
    readonly error?: BrezelError;
  };
}

export type Conversion = Values | Unsupported;

/** A strategy that was tried before, and why it did not convert the node. */
export interface Attempt {
  readonly strategy: string;
  readonly reason: string;
  readonly error?: BrezelError | undefined;
}

/** What strategies use besides the node. */
export interface ConversionContext {
  readonly flour: FlourContext;
  readonly graph: Graph;
  readonly budget: ImportBudget;
  readonly repairNgrams: boolean;
  /** Any value of the row: constants that repeat one row take the number of rows from it. */
  anyRow(): Flow;
  warn(message: string): void;
  /** Earlier strategies for the same node. */
  readonly attempts: readonly Attempt[];
}

/** One way to convert a node: a pure function of the node and its inputs. */
export interface Strategy {
  readonly name: string;
  convert(node: RowNode, context: ConversionContext): Conversion;
}

export const unsupported = (reason: string): Unsupported => ({ unsupported: { reason } });

export const isUnsupported = (conversion: Conversion): conversion is Unsupported => 'unsupported' in conversion;

/**
 * Runs a conversion. An error by which Flour or a mapping says that it does not know the node
 * becomes `unsupported`; parameters that it stored are released. Other errors are the file's, and
 * end the import.
 */
export function attempted(flour: FlourContext, convert: () => Conversion): Conversion {
  try {
    return flour.attempt(convert);
  } catch (error) {
    if (!isRefusal(error)) throw error;
    return { unsupported: { reason: error.message, error } };
  }
}

/** The same, for a strategy whose error says less than that of a later one. */
export function quietlyAttempted(flour: FlourContext, convert: () => Conversion): Conversion {
  const conversion = attempted(flour, convert);
  return isUnsupported(conversion) ? unsupported(conversion.unsupported.reason) : conversion;
}

const isRefusal = (error: unknown): error is BrezelError =>
  error instanceof BrezelError &&
  error.code !== 'ERR_FLOUR_WEIGHT' &&
  (error.code.startsWith('ERR_FLOUR') || error.code === 'ERR_ONNX_UNSUPPORTED' || error.code === 'ERR_ONNX_SHAPE');
