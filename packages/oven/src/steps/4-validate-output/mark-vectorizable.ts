import type { ValueType } from '@brezel/core';
import { dtypeOf } from '@brezel/core';
import { markStages } from '../../plan-changes.js';
import { nodeOf, nodesOfStage } from '../../plan-index.js';
import { rule } from '../../rule.js';
import { stageInputs } from './stage-schemas.js';

/**
 * Marks stages in which every value has a fixed number of elements: no texts, tokens, sparse
 * vectors or dictionaries. Their kernels process a whole block of rows, so they are faster with
 * larger blocks (section 4.1.2 of the PRETZEL paper).
 */
export const markVectorizable = rule({
  name: 'mark-vectorizable',
  summary: 'marks stages that contain only arithmetic on vectors of fixed sizes',
  step: 'validate-output',
  over: 'plan',
  exact: true,
  apply: (plan) =>
    markStages(plan, 'vectorizable', ({ id }) => {
      const read = stageInputs(plan, id).map((input) => nodeOf(plan, input).type);
      const computed = nodesOfStage(plan, id).map(({ type }) => type);
      return [...read, ...computed].every(isFixed);
    }),
});

/**
 * Returns whether all rows of a type have the same number of elements. Returns false for texts,
 * tokens, sparse vectors and dictionaries.
 */
const isFixed = (type: ValueType) =>
  type.kind === 'vector' ||
  type.kind === 'map' ||
  ((type.kind === 'scalar' || type.kind === 'tensor') && dtypeOf(type) !== 'string');
