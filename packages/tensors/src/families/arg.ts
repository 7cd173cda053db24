import { flagAttribute, intAttribute } from '../attributes.js';
import { type TensorCall, type TensorOperator, tensorOperators } from '../define.js';
import { numbers } from '../elements.js';
import { groupsOf, reducedShape } from '../groups.js';
import { type BigIntData, newData, tensorInput, tensorOf } from '../inputs.js';
import { normalizeAxis } from '../shapes.js';

type Better = <T extends number | bigint>(value: T, best: T) => boolean;

/** The place of the first best element along an axis, or of the last with `select_last_index`; a NaN is never better, as in `argMax`. */
const arg = (operator: string, better: Better): TensorOperator => ({
  domain: '',
  operator,
  versions: [1, 25],
  run(call: TensorCall) {
    const { shape, data } = tensorInput(call, 0, numbers);
    const axis = normalizeAxis(intAttribute(call, 'axis', 0), shape.length, call);
    const last = flagAttribute(call, 'select_last_index', false);
    const reduced = reducedShape(shape, [axis], flagAttribute(call, 'keepdims', true));
    if (shape[axis] === 0) throw call.fault(`axis ${axis} of no elements`);
    const { starts, steps } = groupsOf(shape, [axis], call);
    const out = newData(call, 'int64', reduced) as BigIntData;
    for (let group = 0; group < starts.length; group++) {
      const value = (at: number) => data[starts[group]! + steps[at]!]!;
      let best = 0;
      for (let at = 1; at < steps.length; at++)
        if (better(value(at), value(best)) || (last && value(at) === value(best))) best = at;
      out[group] = BigInt(best);
    }
    return [tensorOf('int64', reduced, out)];
  },
});

export const args = tensorOperators(
  arg('ArgMax', (value, best) => value > best),
  arg('ArgMin', (value, best) => value < best),
);
