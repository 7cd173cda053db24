import { operatorNanos } from '../../estimate.js';
import type { LogicalNode } from '../../logical-plan.js';
import type { Candidate, StageDraft } from '../stage-draft.js';
import type { TokenSource } from './token-source.js';

/**
 * Returns a candidate for a kernel that computes the n-grams of `node` directly from the text. Its
 * estimated cost is the sum of its operators' costs.
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
