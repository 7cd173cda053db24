import { flourError } from '../../errors.js';
import { LEAF } from './reference.js';

/**
 * Checks that every node of a forest reads a feature of the input. The feature of a leaf is not
 * checked.
 *
 * @throws ERR_FLOUR_PARAM for a node with another feature.
 */
export function checkFeatures(
  at: string,
  { mode, feature }: { readonly mode: Int32Array; readonly feature: Int32Array },
  size: number,
): void {
  const node = feature.findIndex((one, index) => mode[index] !== LEAF && !(one >= 0 && one < size));
  if (node >= 0)
    throw flourError('ERR_FLOUR_PARAM', {
      expected: `features from 0 to ${size - 1}`,
      received: `${feature[node]} at node ${node}`,
      at,
    });
}
