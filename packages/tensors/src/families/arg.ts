import { flagAttribute, intAttribute, keepsAxes } from '../attributes.js';
import { type TensorOperator, tensorOperators } from '../define.js';
import { numbers } from '../elements.js';
import { groupsOf, overGroups, reducedShape, takeGroups } from '../groups.js';
import { type BigIntData, newData, tensorInput, tensorOf } from '../inputs.js';
import { interruptible } from '../pauses.js';
import { normalizeAxis } from '../shapes.js';
import { bestIndex } from '../shared/best-index.js';

/**
 * Declares ArgMin (`least`) or ArgMax, which find the best element along an axis (see `bestIndex`).
 */
const arg = (operator: string, least: boolean): TensorOperator =>
  interruptible({
    domain: '',
    operator,
    versions: [1, 25],
    *steps(call) {
      const { shape, data } = tensorInput(call, 0, numbers);
      const axis = normalizeAxis(intAttribute(call, 'axis', 0), shape.length, call);
      const last = flagAttribute(call, 'select_last_index', false);
      const reduced = reducedShape(shape, [axis], keepsAxes(call));
      if (shape[axis] === 0) throw call.fault(`axis ${axis} of no elements`, 'an axis with at least one element');
      const groups = yield* groupsOf(shape, [axis], call);
      takeGroups(call, groups);
      const { starts, steps } = groups;
      const out = newData(call, 'int64', reduced) as BigIntData;
      yield* overGroups(call, groups, (from, to) => {
        for (let group = from; group < to; group++) {
          const valueAt = (index: number) => data[starts[group]! + steps[index]!]!;
          out[group] = BigInt(bestIndex(steps.length, valueAt, { least, last }));
        }
      });
      return [tensorOf('int64', reduced, out)];
    },
  });

export const args = tensorOperators(arg('ArgMax', false), arg('ArgMin', true));
