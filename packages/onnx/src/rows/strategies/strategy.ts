import { BrezelError } from '@brezel/core';
import type { FlourContext, Flow } from '@brezel/flour';
import type { ImportBudget } from '../../import-budget.js';
import type { Graph } from '../../recognize/index.js';
import type { RowNode } from '../row-node.js';
import type { GraphValue } from '../value.js';

/**
 * The outputs of a node in order. Undefined stands for an output that row programs do not support.
 */
export type Values = readonly (GraphValue | undefined)[];

/** The reason why a strategy does not convert a node. */
export interface Unsupported {
  readonly unsupported: {
    readonly reason: string;
    /**
     * The error of the strategy. If no strategy converts the node, the import fails with the error
     * of the last strategy that has one.
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

/** The data that strategies may read in addition to the node. */
export interface ConversionContext {
  readonly flour: FlourContext;
  readonly graph: Graph;
  readonly budget: ImportBudget;
  readonly repairNgrams: boolean;
  /**
   * Returns any flow that depends on the row. The conversion of a constant to a row value needs
   * such a flow.
   */
  anyRow(): Flow;
  warn(message: string): void;
  /** The strategies that have already been tried for this node. */
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
 * Calls a conversion. If it throws because Flour or a mapping does not support the node, returns
 * the error as `unsupported` and releases the parameters that the conversion stored. Rethrows all
 * other errors, because they mean that the file is invalid.
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
 * Calls a conversion as `attempted` does, but returns only the reason and not the error. Strategies
 * use this function if the error of a later strategy helps the user more.
 */
export function quietlyAttempted(flour: FlourContext, convert: () => Conversion): Conversion {
  const conversion = attempted(flour, convert);
  return isUnsupported(conversion) ? unsupported(conversion.unsupported.reason) : conversion;
}

const isRefusal = (error: unknown): error is BrezelError =>
  error instanceof BrezelError &&
  error.code !== 'ERR_FLOUR_WEIGHT' &&
  (error.code.startsWith('ERR_FLOUR') || error.code === 'ERR_ONNX_UNSUPPORTED' || error.code === 'ERR_ONNX_SHAPE');
