import type { Block } from '@brezel/core';
import type { Column } from '../../../execute/row-schema.js';
import type { ServedPlan } from '../../../plans/registered-plan.js';
import type { BatchOwner } from '../batch-target.js';
import type { Ticket } from './two-level-queue.js';

/** Some rows of a batch on worker threads. */
export interface WorkerChunk {
  readonly number: number;
  readonly record: ServedPlan;
  readonly owner: BatchOwner;
  readonly columns: readonly Column[];
  readonly rows: number;
  /** Number of its first row, for errors. */
  readonly first: number;
  readonly place: Ticket;
  /** Number of threads that were lost while they ran it. */
  losses: number;
  /** Whether the batch no longer needs it. */
  isCancelled: boolean;
}

/** How a chunk ended. */
export type ChunkEnd =
  | { readonly results: readonly unknown[] }
  | { readonly blocks: readonly Block[] }
  | { readonly error: Error };
