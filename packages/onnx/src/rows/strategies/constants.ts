import { recognize } from '../../recognize/index.js';
import { foldNode, shapeOfRows } from '../fold.js';
import type { ConstantValue, GraphValue } from '../value.js';
import { type Strategy, unsupported } from './strategy.js';

const isConstant = (value: GraphValue | undefined): value is ConstantValue | undefined => value?.kind !== 'row';

/**
 * Converts `Shape` and `Size` of a value that depends on the row. The result is a constant that
 * depends only on the number of rows (`ConstantValue.byRows`).
 */
export const shapeOfRow: Strategy = {
  name: 'shape of the row',
  convert(node) {
    const { domain, operator, inputs } = node;
    if (domain !== '' || (operator !== 'Shape' && operator !== 'Size')) return unsupported('not Shape or Size');
    const shape = shapeOfRows(operator, inputs[0], node.options());
    return shape === undefined ? unsupported('its input is constant, or has no shape') : [shape];
  },
};

/** Runs nodes with constant inputs during the import, and stores their results as constants. */
export const constantFolding: Strategy = {
  name: 'constant folding',
  convert(node) {
    const { inputs } = node;
    if (!inputs.every(isConstant)) return unsupported('an input depends on the row');
    return foldNode({ ...node, inputs }) ?? unsupported('no operator for tensors, or a random one');
  },
};

/** Converts several nodes that an exporter has written for one operator of Flour. */
export const knownPattern: Strategy = {
  name: 'known pattern',
  convert(node, { graph }) {
    const found = recognize(node, graph);
    return found === undefined ? unsupported('the nodes before it are no pattern of a known exporter') : [found];
  },
};
