import type { Flow } from '@brezel/flour';
import { damaged } from '../errors.js';
import { type Graph, type GraphNode, GT, GTE, LEQ, LT } from '../graph.js';
import type { Element } from '../xml/element.js';

/** An interval of numbers. A missing margin means no bound. */
export interface Interval {
  readonly low: number | undefined;
  readonly high: number | undefined;
  readonly includesLow: boolean;
  readonly includesHigh: boolean;
}

const closures = ['openOpen', 'openClosed', 'closedOpen', 'closedClosed'] as const;

/** Reads an `Interval` element. */
export function readInterval(element: Element): Interval {
  const closure = element.choice('closure', closures);
  const low = element.has('leftMargin') ? element.number('leftMargin') : undefined;
  const high = element.has('rightMargin') ? element.number('rightMargin') : undefined;
  if (low === undefined && high === undefined) throw damaged(element.at, 'leftMargin or rightMargin', 'neither');
  return { low, high, includesLow: closure.startsWith('closed'), includesHigh: closure.endsWith('Closed') };
}

/** Writes a test whether a number is in an interval. A missing value takes the branch `no`. */
export function testInterval(
  graph: Graph,
  value: Flow<'vector'>,
  { low, high, includesLow, includesHigh }: Interval,
  yes: GraphNode,
  no: GraphNode,
): GraphNode {
  const below = high === undefined ? yes : graph.compare(value, includesHigh ? LEQ : LT, high, false, yes, no);
  return low === undefined ? below : graph.compare(value, includesLow ? GTE : GT, low, false, below, no);
}
