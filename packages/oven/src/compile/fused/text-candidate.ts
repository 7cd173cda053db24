import { operatorNanos } from '../../estimate.js';
import type { LogicalNode } from '../../logical-plan.js';
import type { Candidate, StageDraft } from '../stage-draft.js';
import type { TokenSource } from './token-source.js';

/**
 * Returns a candidate that runs `node` with a kernel that computes n-grams directly from the text.
 * The estimated cost of the candidate is the sum of the costs of its operators.
 */
export function textCandidate(
  kernel: string,
  node: LogicalNode,
  source: TokenSource,
  draft: StageDraft,
  attributes: readonly number[],
  parameters: () => readonly string[],
): Candidate {
  const covered = [...source.covered, node];
  const nanosPerRow = covered.reduce((sum, node) => sum + operatorNanos(node, draft.plan, draft.context), 0);
  return { kernel, covered, inputs: [source.input], attributes, nanosPerRow, parameters };
}
