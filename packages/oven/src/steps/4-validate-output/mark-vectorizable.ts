import type { ValueType } from '@brezel/core';
import { dtypeOf } from '@brezel/core';
import { markStage, nodeOf, nodesOfStage } from '../../logical-plan.js';
import { rule } from '../../rule.js';
import { stageInputs } from './stage-schemas.js';

/** Notes stages of nothing but arithmetic on dense values: their kernels take a block of rows at a time, and larger blocks pay (paper 4.1.2). */
export const markVectorizable = rule({
  name: 'mark-vectorizable',
  summary: 'notes stages of nothing but arithmetic on vectors of fixed sizes',
  step: 'validate-output',
  over: 'stages',
  order: 'top-down',
  exact: true,
  targets: ({ marks }) => marks?.vectorizable === undefined,
  apply(stage, plan) {
    const read = stageInputs(plan, stage.id).map((id) => nodeOf(plan, id).type);
    const made = nodesOfStage(plan, stage.id).map(({ type }) => type);
    return markStage(plan, stage, { vectorizable: [...read, ...made].every(isFixed) });
  },
});

/** As many numbers in every row. A label is one of them. */
const isFixed = (type: ValueType) =>
  type.kind === 'vector' ||
  type.kind === 'map' ||
  ((type.kind === 'scalar' || type.kind === 'tensor') && dtypeOf(type) !== 'string');
