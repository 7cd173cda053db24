import { coloredText } from './colored-text.js';
import {
  contributionName,
  explainedTexts,
  type ShownContribution,
  shortNumber,
  signedNumber,
} from './contribution-names.js';
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
import { box, group, line, round, text } from './shapes.js';
import { fitText } from './text-width.js';

/** The explanation of an answer, as `runtime.contributions` returns it. */
export interface ShownExplanation {
  readonly output: string;
  readonly class?: number | string;
  readonly answer: unknown;
  readonly raw: number;
  readonly base: number;
  readonly link: string;
  readonly rest: number;
  readonly contributions: readonly ShownContribution[];
}

/** Options of `drawContributions`. */
export interface ContributionPicture {
  /** The explained row. If it contains texts, the picture shows them with their words in color. */
  readonly row?: unknown;
  /** The title. Default: the explained output and its answer. */
  readonly title?: string;
  /** The width of the picture in CSS pixels, from 320 to 4000. Default 760. */
  readonly width?: number;
}

const ROW_HEIGHT = 24;
const BAR_HEIGHT = 14;
const TITLE_HEIGHT = 26;
/** A contribution other than 0 has a bar of at least this many pixels. */
const LEAST_BAR = 1;
/**
 * The largest number of bars. Contributions beyond it share one bar with the other values of the
 * row.
 */
const MOST_BARS = 200;

/**
 * The colors of contributions that increase or decrease the score. Color-blind readers can
 * distinguish them.
 */
export const signColors = { increases: colours.featurizer.line, decreases: colours.model.line } as const;

interface Step {
  readonly name: string;
  readonly value: number;
  readonly from: number;
  readonly to: number;
}

/**
 * Draws an explanation as SVG: a waterfall from the base to the score, with one bar for each
 * contribution, and the texts of the row with their words in color. Bars and words that
 * increase the score are blue. Bars and words that decrease the score are orange, and the words are
 * underlined.
 *
 * @param why an explanation as `runtime.contributions` returns it. The first 200 contributions have
 * a bar each. Further contributions and `rest` have one bar together.
 * @returns an SVG document without external fonts or scripts. Its colors follow the light or dark
 * scheme of the viewer. Equal explanations give equal documents.
 * @throws RangeError for a width that is not a number from 320 to 4000.
 * @example
 * const why = runtime.contributions(plan, { text: 'a good film' }, { top: 10 });
 * drawContributions(why, { row: { text: 'a good film' } }).startsWith('<svg'); // => true
 */
export function drawContributions(why: ShownExplanation, options: ContributionPicture = {}): string {
  const { row, width = USUAL_WIDTH, title = titleOf(why) } = options;
  checkWidth(width);
  const inner = width - 2 * MARGIN;
  const note = `score ${total(why.raw)} = base ${total(why.base)} + contributions${linkNote(why.link)}`;
  const words = explainedTexts(row, why.contributions).map(({ input, parts }) => coloredText(input, parts, inner));
  let y = MARGIN;
  const parts = [text(MARGIN, y + TITLE_HEIGHT / 2, fitText(title, TITLE.font, TITLE.size, inner), TITLE)];
  y += TITLE_HEIGHT;
  parts.push(text(MARGIN, y + 8, fitText(note, NOTE.font, NOTE.size, inner), NOTE));
  y += 20 + GAP;
  for (const each of words) {
    parts.push(each.draw(MARGIN, y));
    y += each.height + GAP;
  }
  const shown = withFewBars(why);
  const chart = waterfall(shown, inner);
  parts.push(chart.draw(MARGIN, y));
  const height = Math.ceil(y + chart.height + MARGIN);
  return document(width, height, title, description(shown), parts);
}

/** Adds the contributions after the first `MOST_BARS` to the rest. */
function withFewBars(why: ShownExplanation): ShownExplanation {
  const { contributions, rest } = why;
  const omitted = contributions.slice(MOST_BARS);
  if (omitted.length === 0) return why;
  const sum = omitted.reduce((total, { value }) => total + value, rest);
  return { ...why, contributions: contributions.slice(0, MOST_BARS), rest: sum };
}

const titleOf = ({ output, class: one, answer }: ShownExplanation) =>
  `${one === undefined ? output : `${output}[${one}]`} = ${typeof answer === 'number' ? shortNumber(answer, 7) : String(answer)}`;

/**
 * Formats a base or a score. Shows more digits than for a contribution, because a base can be much
 * greater than the contributions.
 */
const total = (value: number) => shortNumber(value, 7);

const linkNote = (link: string) => (link === 'identity' ? '' : `, link ${link}`);

const description = ({ contributions, rest, base, raw }: ShownExplanation) =>
  [
    `Base ${shortNumber(base)}`,
    ...contributions.map((each) => `${contributionName(each)}: ${signedNumber(each.value)}`),
    ...(rest === 0 ? [] : [`other values: ${signedNumber(rest)}`]),
    `score ${shortNumber(raw)}`,
  ].join('. ');

/** Returns the steps from the base to the score. A value without a finite number has no bar. */
function stepsOf({ contributions, rest, base }: ShownExplanation): Step[] {
  const values = contributions.map((each) => ({ name: contributionName(each), value: each.value }));
  if (rest !== 0) values.push({ name: 'other values', value: rest });
  let at = finite(base);
  return values.map(({ name, value }) => {
    const from = at;
    at += finite(value);
    return { name, value, from, to: at };
  });
}

const finite = (value: number) => (Number.isFinite(value) ? value : 0);

function waterfall(why: ShownExplanation, width: number) {
  const steps = stepsOf(why);
  const ends = [finite(why.base), ...steps.map(({ to }) => to)];
  const [least, most] = [Math.min(...ends), Math.max(...ends)];
  const numbers = [total(why.base), ...steps.map(({ value }) => signedNumber(value)), total(why.raw)];
  const names = ['base', ...steps.map(({ name }) => name), 'score'];
  const nameWidth = Math.min(width * NAME_SHARE, widest(names, NAME));
  const numberWidth = widest(numbers, NUMBER);
  const left = nameWidth + GAP;
  const room = Math.max(1, width - left - numberWidth - GAP);
  const scale = (value: number) => left + (most === least ? room / 2 : ((value - least) / (most - least)) * room);
  const rowOf = (row: number, bar: string, top: number, x: number) => {
    const middle = top + (row + 0.5) * ROW_HEIGHT;
    const name = fitText(names[row]!, NAME.font, NAME.size, nameWidth);
    const number = text(x + width, middle, numbers[row]!, { ...NUMBER, anchor: 'end' });
    return group('contribution', `${names[row]}: ${numbers[row]}`, [text(x, middle, name, NAME), bar, number]);
  };
  const draw = (x: number, y: number): string => {
    const tick = (value: number, row: number) =>
      box(x + scale(value) - 1, y + row * ROW_HEIGHT + 4, 2, ROW_HEIGHT - 8, { fill: colours.ink });
    const bars = steps.map((step, at) => barOf(step, x, y + (at + 1) * ROW_HEIGHT, scale));
    const last = steps.length + 1;
    const connectors = ends.map((end, row) =>
      line(`M${round(x + scale(end))} ${round(y + (row + 0.5) * ROW_HEIGHT)}v${ROW_HEIGHT}`, colours.hair),
    );
    const rows = [tick(ends[0]!, 0), ...bars, tick(ends.at(-1)!, last)];
    return [...connectors, ...rows.map((bar, row) => rowOf(row, bar, y, x))].join('\n');
  };
  return { height: (steps.length + 2) * ROW_HEIGHT, draw };
}

function barOf({ value, from, to }: Step, x: number, top: number, scale: (value: number) => number): string {
  if (!Number.isFinite(value) || value === 0) return '';
  const [start, end] = [scale(Math.min(from, to)), scale(Math.max(from, to))];
  const fill = value > 0 ? signColors.increases : signColors.decreases;
  return box(x + start, top + (ROW_HEIGHT - BAR_HEIGHT) / 2, Math.max(LEAST_BAR, end - start), BAR_HEIGHT, { fill });
}
