import { featureName, type ShownContribution, shortNumber } from './contribution-names.js';
import {
  checkWidth,
  document,
  GAP,
  MARGIN,
  NAME,
  NAME_SHARE,
  NOTE,
  NUMBER,
  TITLE,
  USUAL_WIDTH,
  widest,
} from './explanation-frame.js';
import { colours } from './palette.js';
import { group, line, round, text } from './shapes.js';
import { fitText } from './text-width.js';

/** The importance of the features for one class, as `runtime.importance` returns it. */
export interface ShownImportance {
  readonly class?: number | string;
  readonly features: readonly {
    readonly input: string;
    readonly index?: number;
    readonly feature?: string;
    readonly importance: number;
  }[];
  readonly sample: readonly { readonly contributions: readonly ShownContribution[] }[];
}

/** Options of `drawImportance`. */
export interface ImportancePicture {
  /** The title of the picture. Default: `Importance`, with the class. */
  readonly title?: string;
  /** The width of the picture in CSS pixels, from 320 to 4000. Default 760. */
  readonly width?: number;
  /**
   * The largest number of features to draw, the most important first. An integer that is at least
   * 0, or Infinity for all features. Default 15.
   */
  readonly top?: number;
}

const ROW_HEIGHT = 30;
const HEAD = 66;
const RADIUS = 2.2;
const USUAL_TOP = 15;
/**
 * The colors of low, middle and high values of a number. Color-blind readers can distinguish them.
 */
const VALUE_COLORS = [colours.featurizer.line, colours.edge, colours.model.line] as const;

interface Point {
  readonly value: number;
  readonly received: number | undefined;
}

/**
 * Draws the importance of features as SVG, a beeswarm: one row for each feature, and one point for
 * each sampled row of data. The position of a point is the contribution. The points of a number are
 * blue for the lowest third of the sampled values, and orange for the highest third.
 *
 * @param importance one of the classes that `runtime.importance` returns with the option `sample`.
 * @returns an SVG document without external fonts or scripts. Its colors follow the light or dark
 * scheme of the viewer. Equal arguments give equal documents.
 * @throws RangeError for a width that is not a number from 320 to 4000, and for a `top` that is
 * neither an integer of at least 0 nor Infinity.
 * @example
 * const rows = [{ text: 'a good film' }, { text: 'a bad film' }];
 * const { classes } = await runtime.importance(plan, rows, { sample: 100 });
 * drawImportance(classes[0]).startsWith('<svg'); // => true
 */
export function drawImportance(importance: ShownImportance, options: ImportancePicture = {}): string {
  const { width = USUAL_WIDTH, top = USUAL_TOP } = options;
  checkWidth(width);
  checkTop(top);
  const { class: one, sample } = importance;
  const title = options.title ?? (one === undefined ? 'Importance' : `Importance for class ${one}`);
  const features = importance.features.slice(0, top);
  const inner = width - 2 * MARGIN;
  const names = features.map(featureName);
  const numbers = features.map((each) => shortNumber(each.importance));
  const nameWidth = Math.min(inner * NAME_SHARE, widest(names, NAME));
  const left = MARGIN + nameWidth + GAP;
  const right = width - MARGIN - widest(numbers, NUMBER) - GAP;
  const points = pointsOf({ features, sample });
  const scale = scaleOf(points.flat(), left + RADIUS, Math.max(left + 3 * RADIUS, right - RADIUS));
  const bottom = HEAD + features.length * ROW_HEIGHT;
  const note = `mean absolute contribution, and the contributions in ${sample.length} sampled rows; blue: low value, orange: high value`;
  const rows = features.map((_, row) => {
    const middle = HEAD + (row + 0.5) * ROW_HEIGHT;
    return group('feature', `${names[row]}: ${numbers[row]}`, [
      text(MARGIN, middle, fitText(names[row]!, NAME.font, NAME.size, nameWidth), NAME),
      ...swarm(points[row]!, middle, scale),
      text(width - MARGIN, middle, numbers[row]!, { ...NUMBER, anchor: 'end' }),
    ]);
  });
  const zero = round(scale(0));
  const about = names.map((name, row) => `${name}: ${numbers[row]}`).join('. ');
  return document(width, bottom + MARGIN, title, about, [
    text(MARGIN, MARGIN + 13, fitText(title, TITLE.font, TITLE.size, inner), TITLE),
    text(MARGIN, MARGIN + 34, fitText(note, NOTE.font, NOTE.size, inner), NOTE),
    line(`M${zero} ${HEAD}V${bottom}`, colours.hair),
    text(zero, bottom + 8, '0', { ...NOTE, anchor: 'middle' }),
    ...rows,
  ]);
}

function checkTop(top: number): void {
  if (top === Number.POSITIVE_INFINITY || (Number.isInteger(top) && top >= 0)) return;
  throw new RangeError(`top: expected an integer from 0, received ${top}`);
}

/** Returns the finite contributions of each feature in the sampled rows. */
function pointsOf({ features, sample }: ShownImportance): Point[][] {
  const rows = new Map(features.map((each) => [keyOf(each), [] as Point[]]));
  for (const { contributions } of sample)
    for (const each of contributions)
      if (Number.isFinite(each.value)) rows.get(keyOf(each))?.push({ value: each.value, received: each.received });
  return features.map((each) => rows.get(keyOf(each))!);
}

/**
 * Identifies a feature. Two features may have the same name: input `x[0]`, and index 0 of input
 * `x`.
 */
const keyOf = ({ input, index, feature }: Omit<ShownImportance['features'][number], 'importance'>) =>
  JSON.stringify([input, index, feature]);

function scaleOf(points: readonly Point[], left: number, right: number): (value: number) => number {
  let [least, most] = [0, 0];
  for (const { value } of points) {
    least = Math.min(least, value);
    most = Math.max(most, value);
  }
  if (least === most) [least, most] = [-1, 1];
  return (value) => left + ((value - least) / (most - least)) * (right - left);
}

/** Draws points, and stacks points of nearly equal contributions above and below the middle. */
function swarm(points: readonly Point[], middle: number, scale: (value: number) => number): string[] {
  const known = points.flatMap(({ received }) => (Number.isFinite(received) ? [received!] : [])).sort((a, b) => a - b);
  const [low, high] = [1 / 3, 2 / 3].map((part) => known[Math.floor(part * known.length)] ?? 0) as [number, number];
  const stacks = new Map<number, number>();
  const room = ROW_HEIGHT / 2 - RADIUS;
  return points.map(({ value, received }) => {
    const x = scale(value);
    const column = Math.round(x / RADIUS);
    const height = stacks.get(column) ?? 0;
    stacks.set(column, height + 1);
    const offset = Math.ceil(height / 2) * RADIUS * (height % 2 === 0 ? 1 : -1);
    const y = middle + (Math.abs(offset) <= room ? offset : offset % room);
    return `<circle cx="${round(x)}" cy="${round(y)}" r="${RADIUS}" fill="${colorOf(received, low, high)}"/>`;
  });
}

function colorOf(received: number | undefined, low: number, high: number): string {
  if (received === undefined || Number.isNaN(received) || low === high) return VALUE_COLORS[1];
  if (received < low) return VALUE_COLORS[0];
  return received >= high ? VALUE_COLORS[2] : VALUE_COLORS[1];
}
