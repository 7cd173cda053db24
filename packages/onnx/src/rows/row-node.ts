import type { FlourContext, OnnxAttributes } from '@brezel/flour';
import type { TensorAttributes } from '@brezel/tensors';
import type { ImportBudget } from '../import-budget.js';
import type { GraphValue } from './value.js';

/** A node with at least one input that differs between rows. */
export interface RowNode {
  readonly flour: FlourContext;
  readonly domain: string;
  readonly operator: string;
  readonly opset: number;
  readonly attributes: OnnxAttributes;
  /** Returns the same attributes in the form of tensor operators. */
  options(): TensorAttributes;
  /** Whether the integers of its inputs are bits of uint64. */
  readonly isUnsigned?: boolean;
  readonly inputs: readonly (GraphValue | undefined)[];
  /** Names of the outputs; empty for an unused output. */
  readonly outputs: readonly string[];
  /** Whether the file declares exactly one row. */
  readonly isFixed: boolean;
  readonly at: string;
  /** The budget of the whole import. */
  readonly budget: ImportBudget;
}
