import { sizeOf } from '@brezel/core';
import { isText } from '../../kinds.js';
import type { LogicalNode } from '../../logical-plan.js';
import { markStages } from '../../plan-changes.js';
import { nodeOf } from '../../plan-index.js';
import { rule } from '../../rule.js';
import { stageOutputs } from './stage-schemas.js';

/**
 * Computes the largest number of entries in a row of each stage output, from training statistics or
 * from the type. The runtime allocates memory for this number of entries.
 */
export const maxVectorSizes = rule({
  name: 'max-vector-sizes',
  summary: 'computes the largest number of entries per row of each stage output',
  step: 'validate-output',
  over: 'plan',
  exact: true,
  apply: (plan) =>
    markStages(plan, 'maxVectorSizes', ({ id }) =>
      stageOutputs(plan, id).map((output) => mostEntries(nodeOf(plan, output))),
    ),
});

function mostEntries({ type, statistics, attributes }: LogicalNode): number {
  // A row can contain more occurrences of n-grams than there are columns.
  if (attributes.occurrences === true && type.kind === 'sparse') return Number.POSITIVE_INFINITY;
  if (type.kind === 'tokens' || type.kind === 'dictionary' || isText(type))
    return statistics?.maxVectorSize ?? Number.POSITIVE_INFINITY;
  return type.kind === 'sparse' ? Math.min(statistics?.maxVectorSize ?? type.size, type.size) : sizeOf(type);
}
