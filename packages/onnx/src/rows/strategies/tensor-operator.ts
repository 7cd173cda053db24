import type { RowNode } from '../row-node.js';
import { convertByRules } from '../tensor-rules.js';
import { attempted, type Strategy, unsupported } from './strategy.js';

/**
 * Converts a node to an operator that runs a tensor operator on each row, if a batch rule shows
 * that the node does not mix rows.
 */
export const tensorOperatorByRows: Strategy = {
  name: 'tensor operator by rows',
  convert(node, { flour, attempts }) {
    // Tensor operators check models less strictly than mappings.
    if (isModel(node) && attempts.some(({ error }) => error !== undefined))
      return unsupported('the operator of Flour refuses the model');
    return attempted(
      flour,
      () => convertByRules(node) ?? unsupported('no rule shows that it does not mix rows, or no such operator'),
    );
  },
};

const isModel = ({ domain, operator }: RowNode): boolean =>
  domain === 'ai.onnx.ml' && operator !== 'ArrayFeatureExtractor';
