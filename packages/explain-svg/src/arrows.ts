import type { DrawnEdge } from '@brezel/oven/explain-views';
import type { Direction, Pass, Point } from './layout.js';
import { colours } from './palette.js';
import { line, round } from './shapes.js';
import { spread } from './spread.js';

export const ARROW_ID = 'bz-arrow';
const ARROW_LENGTH = 8;

/** SVG definition of the head of an arrow. */
export const arrowMarker =
  `<marker id="${ARROW_ID}" viewBox="0 0 8 8" refX="0" refY="4" markerWidth="8" markerHeight="8" markerUnits="userSpaceOnUse" orient="auto">` +
  `<path d="M0 0.5L8 4L0 7.5z" fill="${colours.edge}"/></marker>`;

/**
 * Draws an arrow from one node to another node. The arrow is a curve that starts and ends in the
 * direction of the flow. The arrow is straight beside other nodes: from `start` to the end of the
 * level of its first node (`levelEnd`), and on each level that it crosses (`passes`).
 */
export function drawArrow(
  start: Point,
  levelEnd: number,
  passes: readonly Pass[],
  end: Point,
  direction: Direction,
): string {
  const down = direction === 'down';
  const point = (across: number, along: number) => (down ? { x: across, y: along } : { x: along, y: across });
  const stop = down ? { x: end.x, y: end.y - ARROW_LENGTH } : { x: end.x - ARROW_LENGTH, y: end.y };
  let path = `M${round(start.x)} ${round(start.y)}`;
  let here = down ? { x: start.x, y: levelEnd } : { x: levelEnd, y: start.y };
  path += `L${round(here.x)} ${round(here.y)}`;
  const bendTo = (next: Point) => {
    const middle = down ? (here.y + next.y) / 2 : (here.x + next.x) / 2;
    const [first, second] = down
      ? [point(here.x, middle), point(next.x, middle)]
      : [point(here.y, middle), point(next.y, middle)];
    path += `C${[first, second, next].map(({ x, y }) => `${round(x)} ${round(y)}`).join(' ')}`;
    here = next;
  };
  for (const { across, from, to } of passes) {
    bendTo(point(across, from));
    here = point(across, to);
    path += `L${round(here.x)} ${round(here.y)}`;
  }
  bendTo(stop);
  return line(path, colours.edge, 1.4, ` marker-end="url(#${ARROW_ID})"`);
}

const LEAST_GAP = 14;
/** Near each corner of a node, no arrow ends within this fraction of the side's length. */
const CORNER_SHARE = 0.18;

/**
 * Returns, for each edge, the position where its arrow ends on the side of its node. The position
 * is as near as possible to the position from which the arrow comes (`comingFrom`). Arrows that end
 * at the same node do not cross.
 */
export function arrivals(
  edges: readonly DrawnEdge[],
  comingFrom: readonly number[],
  sideOf: (node: string) => { readonly start: number; readonly length: number },
): number[] {
  const places: number[] = [];
  for (const node of new Set(edges.map((edge) => edge.to))) {
    const arriving = edges.flatMap((edge, index) => (edge.to === node ? [index] : []));
    arriving.sort((a, b) => comingFrom[a]! - comingFrom[b]! || a - b);
    const { start, length } = sideOf(node);
    const [first, last] = [start + length * CORNER_SHARE, start + length * (1 - CORNER_SHARE)];
    const gap = Math.min(LEAST_GAP, (last - first) / arriving.length);
    const wanted = arriving.map((edge) => {
      const position = comingFrom[edge]!;
      if (arriving.length === 1 && (position < first || position > last)) return (first + last) / 2;
      return Math.min(last, Math.max(first, position));
    });
    const spreadOut = spread(wanted, new Array(arriving.length - 1).fill(gap));
    const over = Math.max(0, spreadOut.at(-1)! - last) - Math.max(0, first - spreadOut[0]!);
    arriving.forEach((edge, position) => {
      places[edge] = spreadOut[position]! - over;
    });
  }
  return places;
}
