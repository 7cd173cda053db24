import { constantFolding, knownPattern, shapeOfRow } from './constants.js';
import { customOperator } from './custom.js';
import { elementwise, flattenedModel, flourOperator, mixedTypes, widerType } from './mapping.js';
import type { Strategy } from './strategy.js';
import { tensorOperatorByRows } from './tensor-operator.js';

/** Strategies that see the inputs of a node unchanged. The converter tries them in this order. */
export const graphStrategies: readonly Strategy[] = [shapeOfRow, constantFolding, knownPattern];

/**
 * Strategies for nodes with at least one input that depends on the row. The converter tries them in
 * this order.
 */
export const rowStrategies: readonly Strategy[] = [
  flattenedModel,
  mixedTypes, // before the mapping of Pow, which takes one type
  widerType, // before mappings, which compute in the type that holds the elements
  flourOperator,
  elementwise,
  customOperator,
  // This strategy is the last one, because its result runs in JavaScript unless a kernel moves,
  // sums or multiplies the elements.
  tensorOperatorByRows,
];
