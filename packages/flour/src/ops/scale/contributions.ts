import type { ContributionRules } from '@brezel/core';
import { carryAffine } from '../../contributions.js';

/**
 * Converts the shares of `(x - offset) * factor` to shares of x. A feature that equals its offset,
 * which is often its mean, contributes 0.
 */
export const contributions: ContributionRules = {
  carry(call) {
    const [offset, factor] = ['offset', 'factor'].map((name) =>
      Float64Array.from((call.parameters[name] as { data: Float32Array }).data),
    );
    const at = (values: Float64Array, column: number) => values[values.length === 1 ? 0 : column]!;
    const columns = Math.max(offset!.length, factor!.length);
    const scale = Float64Array.from({ length: columns }, (_, column) => at(factor!, column));
    return carryAffine(call, { scale, offset: scale.map((one, column) => -one * at(offset!, column)) });
  },
};
