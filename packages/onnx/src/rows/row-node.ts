import type { FlourContext, OnnxAttributes } from '@brezel/flour';
import type { TensorAttributes } from '@brezel/tensors';
import type { ImportBudget } from '../import-budget.js';
import type { AttributeProto } from '../proto/schema.js';
import type { GraphValue } from './value.js';

/** A node of the graph with at least one input that depends on the row. */
export interface RowNode {
  readonly flour: FlourContext;
  readonly domain: string;
  readonly operator: string;
  readonly opset: number;
  readonly attributes: OnnxAttributes;
  /** The attributes of the node as the file contains them. */
  readonly protos: readonly AttributeProto[];
  /** Returns the attributes of the node in the form that tensor operators read. */
  options(): TensorAttributes;
  /** Whether the integers of its inputs stand for uint64 numbers with the same bits. */
  readonly isUnsigned?: boolean;
  readonly inputs: readonly (GraphValue | undefined)[];
  /** Names of the outputs. The name of an unused output is empty. */
  readonly outputs: readonly string[];
  /** Whether the file declares that the first axis has the size 1. */
  readonly isFixed: boolean;
  readonly at: string;
  /** The budget that all conversions of this import share. */
  readonly budget: ImportBudget;
}
