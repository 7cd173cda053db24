import type { RowValues } from '../../../execute/answers/answers.js';
import type { Column } from '../../../execute/rows/row-schema.js';
import type { ServedPlan } from '../../../plans/registered-plan.js';
import type { BatchOwner } from '../batch-target.js';
import type { Ticket } from './two-level-queue.js';

/** Some rows of a batch that worker threads run together. */
export interface WorkerChunk {
  readonly number: number;
  readonly record: ServedPlan;
  readonly owner: BatchOwner;
  readonly columns: readonly Column[];
  readonly rows: number;
  /** Index of the chunk's first row in the request, for error messages. */
  readonly first: number;
  readonly ticket: Ticket;
  /** Number of threads that were lost while they ran this chunk. */
  losses: number;
  /** Whether the batch no longer needs this chunk. */
  isCancelled: boolean;
}

/**
 * The outcome of a chunk: its answers or its error. `values` is undefined if the owner has received
 * the answers already while the chunk ran.
 */
export type ChunkEnd = { readonly values: RowValues | undefined } | { readonly error: Error };
