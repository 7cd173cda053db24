import type { Flow } from '@brezel/flour';
import { damaged } from '../errors.js';
import { Graph, type GraphNode, LT } from '../graph.js';
import { arithmetic, booleanOf, choose, compare, isPresent } from '../operands.js';
import { constantOf, MISSING, type Operand, type Value } from '../value.js';
import type { Element } from '../xml/element.js';
import type { ExpressionUse } from './expression-use.js';

/** Converts `NormDiscrete`: 1 for one value of a field, 0 for all others. */
export function normDiscrete({ context, scope }: ExpressionUse, element: Element): Value {
  const value = scope.field(element.required('field'), element.at);
  element.supported('method', ['indicator'], 'indicator');
  const wanted = constantOf(value, element.required('value'), context.names, element.at);
  const indicator = booleanOf(compare('equal', value.operand, wanted));
  const missing = element.has('mapMissingTo') ? element.number('mapMissingTo') : MISSING;
  return { type: 'number', operand: choose(isPresent(value.operand), indicator, missing) };
}

interface Point {
  readonly orig: number;
  readonly norm: number;
}

/** Converts `NormContinuous`: piecewise linear interpolation between points. */
export function normContinuous({ context, scope }: ExpressionUse, element: Element): Value {
  const value = scope.field(element.required('field'), element.at);
  if (value.type === 'string') throw damaged(element.at, 'a numeric field', 'a string');
  const points = element.all('LinearNorm').map((point) => ({ orig: point.number('orig'), norm: point.number('norm') }));
  if (points.length < 2) throw damaged(element.at, 'at least 2 LinearNorm', `${points.length}`);
  if (points.some(({ orig }, index) => index > 0 && orig <= points[index - 1]!.orig))
    throw damaged(element.at, 'LinearNorm in ascending order', 'another order');
  const outliers = element.choice('outliers', ['asIs', 'asMissingValues', 'asExtremeValues'], 'asIs');
  const missing = element.has('mapMissingTo') ? element.number('mapMissingTo') : MISSING;
  const { operand } = value;
  const graph = new Graph(context.budget);
  const result = typeof operand === 'number' ? operand : interpolated(graph, operand, points, outliers);
  if (typeof operand === 'number' && !Number.isNaN(operand))
    return { type: 'number', operand: interpolate(operand, points, outliers) };
  return { type: 'number', operand: choose(isPresent(operand), result, missing) };
}

type Outliers = 'asIs' | 'asMissingValues' | 'asExtremeValues';

/**
 * Returns `(x - orig) * slope + norm` for the segment of `x`. A graph selects the three numbers of
 * the segment.
 */
function interpolated(graph: Graph, x: Flow<'vector'>, points: readonly Point[], outliers: Outliers): Operand {
  const segment = (place: number): GraphNode => {
    const [from, to] = [points[place]!, points[place + 1]!];
    return graph.leaf([
      [0, from.orig],
      [1, (to.norm - from.norm) / (to.orig - from.orig)],
      [2, from.norm],
    ]);
  };
  const fixed = ({ orig, norm }: Point): GraphNode =>
    outliers === 'asMissingValues'
      ? graph.leaf([[2, MISSING]])
      : graph.leaf([
          [0, orig],
          [2, norm],
        ]);
  const inner = Array.from({ length: points.length - 1 }, (_, place) => segment(place));
  const search = (first: number, end: number): GraphNode => {
    if (end - first === 1) return inner[first]!;
    const middle = (first + end) >> 1;
    return graph.compare(x, LT, points[middle]!.orig, false, search(first, middle), search(middle, end));
  };
  let node = search(0, inner.length);
  if (outliers !== 'asIs') {
    const [first, last] = [points[0]!, points.at(-1)!];
    const [below, above] = [fixed(first), fixed(last)];
    node = graph.compare(x, LT, first.orig, false, below, graph.compare(x, 3, last.orig, false, above, node));
  }
  const parts = graph.run([node], [0, 0, 0], x);
  const [orig, slope, norm] = [0, 1, 2].map((column) => parts.selectColumns([column])) as [
    Flow<'vector'>,
    Flow<'vector'>,
    Flow<'vector'>,
  ];
  return arithmetic('add', arithmetic('multiply', arithmetic('subtract', x, orig), slope), norm);
}

function interpolate(x: number, points: readonly Point[], outliers: Outliers): number {
  const [first, last] = [points[0]!, points.at(-1)!];
  const isOutside = x < first.orig || x > last.orig;
  if (isOutside && outliers === 'asMissingValues') return MISSING;
  if (isOutside && outliers === 'asExtremeValues') return x < first.orig ? first.norm : last.norm;
  const place = Math.max(
    0,
    points.findLastIndex(({ orig }, index) => index < points.length - 1 && orig <= x),
  );
  const [from, to] = [points[place]!, points[place + 1]!];
  return (x - from.orig) * ((to.norm - from.norm) / (to.orig - from.orig)) + from.norm;
}
