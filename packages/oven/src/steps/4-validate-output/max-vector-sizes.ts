import { sizeOf } from '@brezel/core';
import { isText } from '../../kinds.js';
import { type LogicalNode, markStage, nodeOf } from '../../logical-plan.js';
import { rule } from '../../rule.js';
import { stageOutputs } from './stage-schemas.js';

/** Notes how many entries a row of each stage output has at most: by training statistics, else by its type. Vector pools are cut by it. */
export const maxVectorSizes = rule({
  name: 'max-vector-sizes',
  summary: 'notes how many entries a row of each stage output has at most',
  step: 'validate-output',
  over: 'stages',
  order: 'top-down',
  exact: true,
  targets: ({ marks }) => marks?.maxVectorSizes === undefined,
  apply: (stage, plan) =>
    markStage(plan, stage, {
      maxVectorSizes: stageOutputs(plan, stage.id).map((id) => mostEntries(nodeOf(plan, id))),
    }),
});

function mostEntries({ type, statistics }: LogicalNode): number {
  if (type.kind === 'tokens' || type.kind === 'dictionary' || isText(type))
    return statistics?.maxVectorSize ?? Number.POSITIVE_INFINITY;
  return type.kind === 'sparse' ? Math.min(statistics?.maxVectorSize ?? type.size, type.size) : sizeOf(type);
}
