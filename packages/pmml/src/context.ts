import type { FlourContext, Flow } from '@brezel/flour';
import type { Budget } from './budget.js';
import { constantFlow } from './operands.js';
import type { Names, Operand } from './value.js';

/** What all parts of an import share. */
export interface Context {
  readonly flour: FlourContext;
  readonly budget: Budget;
  readonly names: Names;
  /** A flow of one float64 number that constants may read. */
  readonly any: Flow<'vector'>;
  /** How many elements of each kind were converted. */
  readonly counts: Record<string, number>;
  readonly warnings: Set<string>;
}

/** Returns an operand as a flow. */
export const flowOf = ({ any }: Context, operand: Operand): Flow<'vector'> =>
  typeof operand === 'number' ? constantFlow(any, operand) : operand;

/** Counts a converted element. */
export function converted({ counts, budget }: Context, name: string, at: string): void {
  counts[name] = (counts[name] ?? 0) + 1;
  budget.node(at);
}
