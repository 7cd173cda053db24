import { InternalError } from '@brezel/core';
import { rule } from '../../rule.js';
import { stageOrder } from '../../stage-order.js';

/** Checks after all rewrites that every operator has a stage, and that the stages form no cycle. */
export const checkStageGraph = rule({
  name: 'check-stage-graph',
  summary: 'rejects a cycle between stages',
  step: 'validate-output',
  over: 'plan',
  exact: true,
  required: true,
  apply(plan) {
    const homeless = plan.nodes.find((node) => node.operator !== undefined && node.stage === undefined);
    if (homeless !== undefined) throw new InternalError(`${homeless.operator!.name} is in no stage`);
    if (stageOrder(plan) === undefined) throw new InternalError('stages wait for each other');
    return undefined;
  },
});
