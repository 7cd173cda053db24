import { flourError } from '../../errors.js';
import type { Forest } from '../tree-ensemble/index.js';
import { LEAF } from '../tree-ensemble/reference.js';

/**
 * Checks that no node has several parents or belongs to several trees, because its depth would be
 * ambiguous.
 *
 * @throws ERR_FLOUR_PARAM for a shared node.
 */
export function checkTreesApart(at: string, forest: Pick<Forest, 'mode' | 'trueChild' | 'falseChild' | 'roots'>): void {
  const seen = new Uint8Array(forest.mode.length);
  const visit = (node: number) => {
    if (seen[node] === 1) {
      throw flourError('ERR_FLOUR_PARAM', { expected: 'trees that share no node', received: `node ${node} twice`, at });
    }
    seen[node] = 1;
  };
  forest.roots.forEach(visit);
  forest.mode.forEach((mode, node) => {
    if (mode === LEAF) return;
    visit(forest.trueChild[node]!);
    visit(forest.falseChild[node]!);
  });
}

/**
 * Numbers the nodes: the leaves from 0, and the branches separately from 0. Also returns both
 * counts.
 */
export function nodeNumbers({ mode }: Pick<Forest, 'mode'>): { numbers: Int32Array; leaves: number; branches: number } {
  let [leaves, branches] = [0, 0];
  const numbers = mode.map((one) => (one === LEAF ? leaves++ : branches++));
  return { numbers, leaves, branches };
}
