import { BrezelError } from '@brezel/core';
import type { FlourContext, Flow } from '@brezel/flour';
import type { ImportBudget } from '../../import-budget.js';
import type { Graph } from '../../recognize/index.js';
import type { RowNode } from '../row-node.js';
import type { GraphValue } from '../value.js';

/** The outputs of a node in order. Undefined marks an output that row programs do not support. */
export type Values = readonly (GraphValue | undefined)[];

/** The reason why a strategy does not convert a node. */
export interface Unsupported {
  readonly unsupported: {
    readonly reason: string;
    /**
     * If no strategy converts the node, the import fails with the last such error.
     */
    readonly error?: BrezelError;
  };
}

export type Conversion = Values | Unsupported;

/** An earlier strategy, and the reason why it did not convert the node. */
export interface Attempt {
  readonly strategy: string;
  readonly reason: string;
  readonly error?: BrezelError | undefined;
}

/** The data that strategies read in addition to the node. */
export interface ConversionContext {
  readonly flour: FlourContext;
  readonly graph: Graph;
  readonly budget: ImportBudget;
  readonly repairNgrams: boolean;
  /** Returns any flow of the row. A constant that repeats one entry for each row needs it. */
  anyRow(): Flow;
  warn(message: string): void;
  /** Strategies that were tried before for the same node. */
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
 * Runs a conversion. If Flour or a mapping does not support the node, its error becomes
 * `unsupported`, and the stored parameters are released. Any other error means an invalid file and
 * ends the import.
 */
export function attempted(flour: FlourContext, convert: () => Conversion): Conversion {
  try {
    return flour.attempt(convert);
  } catch (error) {
    if (!isRefusal(error)) throw error;
    return { unsupported: { reason: error.message, error } };
  }
}

/**
 * Runs a conversion as `attempted` does, but drops the error of the strategy and keeps the reason
 * only. It is for strategies whose error is less helpful than the error of a later strategy.
 */
export function quietlyAttempted(flour: FlourContext, convert: () => Conversion): Conversion {
  const conversion = attempted(flour, convert);
  return isUnsupported(conversion) ? unsupported(conversion.unsupported.reason) : conversion;
}

const isRefusal = (error: unknown): error is BrezelError =>
  error instanceof BrezelError &&
  error.code !== 'ERR_FLOUR_WEIGHT' &&
  (error.code.startsWith('ERR_FLOUR') || error.code === 'ERR_ONNX_UNSUPPORTED' || error.code === 'ERR_ONNX_SHAPE');
