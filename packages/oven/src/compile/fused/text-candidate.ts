import { operatorNanos } from '../../estimate.js';
import type { LogicalNode } from '../../logical-plan.js';
import type { Candidate, StageDraft } from '../stage-draft.js';
import type { TokenSource } from './token-source.js';

/** A kernel that goes from the text to the n-grams of `node`. It is expected to cost what its operators would cost by themselves. */
export function textCandidate(
  kernel: string,
  node: LogicalNode,
  source: TokenSource,
  draft: StageDraft,
  attributes: readonly number[],
  parameters: () => readonly string[],
): Candidate {
  const covered = [...source.covered, node];
  const nanosPerRow = covered.reduce((sum, one) => sum + operatorNanos(one, draft.plan, draft.context), 0);
  return { kernel, covered, inputs: [source.input], attributes, nanosPerRow, parameters };
}
