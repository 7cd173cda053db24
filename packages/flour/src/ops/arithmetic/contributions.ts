import {
  type Carried,
  type CarryCall,
  type ContributionRules,
  type DenseBlock,
  dtypeOf,
  type NumberShares,
  sizeOf,
} from '@brezel/core';
import {
  baseOf,
  carryAffine,
  carryColumns,
  carrySums,
  numbersOfShares,
  relativeToBackground,
  shared,
} from '../../contributions.js';
import { mapOf } from './algebra.js';

/**
 * Attributes the shares of the result to the inputs. If two flows are added or subtracted, both get
 * shares. If one operand is a constant, the flow gets all shares. Other operations on two flows
 * have no contributions.
 */
export const contributions: ContributionRules = {
  carry(call) {
    const { operation, side } = call.attributes as { operation: string; side: string };
    const shares = numbersOfShares(call);
    if (shares === undefined) return undefined;
    if (call.inputs.length === 2) return carryTwo(call, shares, operation);
    const operand = (call.parameters.operand as { data: ArrayLike<number | bigint> }).data;
    const constants = Float64Array.from({ length: operand.length }, (_, at) => Number(operand[at]));
    if (sizeOf(call.inputTypes[0]!) < sizeOf(call.type)) return undefined;
    const map = mapOf(operation, side, constants);
    if (map !== undefined && (call.result as DenseBlock).dtype.startsWith('float')) return carryAffine(call, map);
    return carryColumns(call);
  },
};

const signsOf: Readonly<Record<string, readonly number[]>> = { add: [1, 1], subtract: [1, -1] };

/**
 * Divides the shares of a sum or a difference between both inputs. Returns undefined for other
 * operations, and for integers, because integer sums may wrap around.
 */
function carryTwo(call: CarryCall, shares: NumberShares, operation: string): Carried | undefined {
  const signs = signsOf[operation];
  if (signs === undefined || shares.isFixed || !dtypeOf(call.type).startsWith('float')) return undefined;
  const inputs = signs.map((sign, input) => {
    // A value of one element is repeated, so it gets the shares of all columns.
    if (sizeOf(call.inputTypes[input]!) < sizeOf(call.type)) return carrySums(shares, [0], () => sign);
    return shared(shares, ({ slope }) => ({ slope: sign * slope, constant: 0 }));
  });
  return relativeToBackground(call, { inputs, base: baseOf(shares, () => 0) });
}
