import type { FlourContext, OnnxAttributes } from '@brezel/flour';
import type { TensorAttributes } from '@brezel/tensors';
import type { ImportBudget } from '../import-budget.js';
import type { GraphValue } from './value.js';

/** A node of the graph that some value of the row goes into. */
export interface RowNode {
  readonly flour: FlourContext;
  readonly domain: string;
  readonly operator: string;
  readonly opset: number;
  readonly attributes: OnnxAttributes;
  /** The same attributes for tensor operators. */
  options(): TensorAttributes;
  /** Whether the integers of its inputs are bits of uint64. */
  readonly isUnsigned?: boolean;
  readonly inputs: readonly (GraphValue | undefined)[];
  /** Names of the outputs; empty for an unused output. */
  readonly outputs: readonly string[];
  /** Whether the file is for one row at a time. */
  readonly isFixed: boolean;
  readonly at: string;
  /** Of the whole import. */
  readonly budget: ImportBudget;
}
