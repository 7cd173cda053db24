import { constantFolding, knownPattern, shapeOfRow } from './constants.js';
import { elementwise, flattenedModel, flourOperator, mixedTypes, widerType } from './mapping.js';
import type { Strategy } from './strategy.js';
import { tensorOperatorByRows } from './tensor-operator.js';

/** Strategies that read the inputs of a node unchanged, in the order in which they are tried. */
export const graphStrategies: readonly Strategy[] = [shapeOfRow, constantFolding, knownPattern];

/**
 * Strategies for nodes with a value of the row, in the order in which they are tried.
 */
export const rowStrategies: readonly Strategy[] = [
  flattenedModel,
  mixedTypes, // before the mapping of Pow, which takes one type
  widerType, // before mappings, which compute in the type that holds the elements
  flourOperator,
  elementwise,
  // This strategy is the last one, because its result runs in JavaScript unless a kernel moves,
  // sums or multiplies the elements.
  tensorOperatorByRows,
];
