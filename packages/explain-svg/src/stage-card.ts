import type { PlannedStageView, StepView } from '@brezel/oven/explain-views';
import {
  count,
  partOfModels,
  percent,
  placementWords,
  placeWords,
  printBytes,
  printTime,
} from '@brezel/oven/explain-views';
import type { Card } from './card.js';
import { chipRows, drawChip, parameterChips } from './chips.js';
import type { PictureStage } from './fold.js';
import { colours } from './palette.js';
import { box, group, line, round, SHARED_ICON_WIDTH, sharedIcon, text } from './shapes.js';
import { fitText, textWidth } from './text-width.js';

const PADDING = 12;
const LEAST_WIDTH = 250;
const GREATEST_WIDTH = 440;
const TITLE = { font: 'bold', size: 13 } as const;
const CODE = { font: 'mono', size: 11 } as const;
const WORDS = { font: 'sans', size: 11 } as const;
const SMALL = { font: 'sans', size: 10, fill: colours.faint } as const;
const TITLE_HEIGHT = 28;
const BADGE_HEIGHT = 18;
const STEP_HEIGHT = 18;
const CHIP_HEIGHT = 20;
const LINE_HEIGHT = 18;
const GAP = 6;
const SHOWN_STEPS = 16;
/** Distance in pixels between the two outlines of a shared stage. */
const OUTLINE = 4;
/**
 * The width in pixels of the space between the operators of a stage and the names of kernels. This
 * space contains the brackets. A bracket groups the operators of one kernel.
 */
const BRACKET_ROOM = 26;

/**
 * A line of a stage card, which shows one operator: its name and a summary. The line also names the
 * operators whose results it reads, unless it reads only the result of the previous line.
 */
interface StepLine {
  readonly operator: string;
  readonly words: string;
  readonly kernel: string;
  /**
   * The number of the kernel that runs the operator of this line. One kernel runs the operators of
   * all lines with its number.
   */
  readonly group: number | undefined;
}

/**
 * Draws a stage: one line per operator with brackets for kernels, then its parameters and its
 * measurement.
 *
 * @param models number of models in the picture.
 */
export function stageCard({ view, title, users, folded }: PictureStage, models: number): Card {
  const key = folded ? '' : view.key; // the folded stages have different keys
  const shared = users.length > 1;
  const badge = shared ? `shared by ${partOfModels(users.length, models)}` : '';
  const lines = stepLines(view);
  const kernelWidth = Math.max(...lines.map((lineOfStep) => textWidth(lineOfStep.kernel, 'mono', CODE.size)), 40);
  const stepWidth = Math.max(...lines.map(lineWidth));
  const chips = parameterChips(view.parameters, GREATEST_WIDTH - 2 * PADDING);
  const width = Math.ceil(
    Math.min(
      GREATEST_WIDTH,
      Math.max(
        LEAST_WIDTH,
        2 * PADDING + stepWidth + BRACKET_ROOM + kernelWidth,
        2 * PADDING + textWidth(title, TITLE.font, TITLE.size) + 20 + textWidth(key, 'mono', CODE.size),
        2 * PADDING + Math.max(0, ...chips.map((chip) => chip.width)),
      ),
    ),
  );
  const rows = chipRows(chips, width - 2 * PADDING);
  const bandHeight = TITLE_HEIGHT + (shared ? BADGE_HEIGHT : 0);
  const height =
    bandHeight +
    GAP +
    lines.length * STEP_HEIGHT +
    GAP +
    rows.length * CHIP_HEIGHT +
    LINE_HEIGHT * ((view.measured ? 3 : 1) + (view.placement ? 1 : 0)) +
    GAP;
  const kernelX = width - PADDING - Math.min(kernelWidth, width / 3);

  const draw = (x: number, y: number): string => {
    let top = y + bandHeight + GAP;
    const parts = [
      ...(folded ? sheets(x, y, width, height, view) : []),
      ...frame(x, y, width, height, bandHeight, view, shared),
      ...head(x, y, width, title, key, badge),
      ...lines.flatMap((lineOfStep, index) =>
        drawStep(lineOfStep, x, top + (index + 0.5) * STEP_HEIGHT, kernelX - BRACKET_ROOM),
      ),
      ...brackets(lines, x + kernelX, top, width - PADDING - kernelX),
    ];
    top += lines.length * STEP_HEIGHT + GAP;
    parts.push(line(`M${round(x)} ${round(top - GAP / 2)}h${round(width)}`, colours.hair));
    rows.forEach((row, index) => {
      parts.push(...row.map(({ chip, offset }) => drawChip(chip, x + PADDING + offset, top + index * CHIP_HEIGHT)));
    });
    top += rows.length * CHIP_HEIGHT;
    if (view.placement) {
      const location = fitText(`on the ${placeWords(view.placement)}`, SMALL.font, SMALL.size, width - 2 * PADDING);
      parts.push(text(x + PADDING, top + LINE_HEIGHT / 2, location, SMALL));
      top += LINE_HEIGHT;
    }
    parts.push(...foot(view, folded, x + PADDING, top, width - 2 * PADDING));
    return group('stage', tooltip(view, title, badge), parts);
  };
  return { width, height, draw, ...((shared || folded) && { outline: OUTLINE }) };
}

/**
 * Draws two sheets behind the box of a stage. The sheets show that the box represents several
 * stages.
 */
function sheets(x: number, y: number, width: number, height: number, { role }: PlannedStageView): string[] {
  const { line: stroke, paper } = colours[role];
  return [OUTLINE, OUTLINE / 2].map((shift) =>
    box(x + shift, y + shift, width, height, { fill: paper, stroke, strokeWidth: 1, radius: 8 }),
  );
}

function frame(
  x: number,
  y: number,
  width: number,
  height: number,
  bandHeight: number,
  { role, engine }: PlannedStageView,
  shared: boolean,
): string[] {
  const { line: stroke, band, paper } = colours[role];
  const dashes = engine === 'javascript' ? { dashes: '6 4' } : {};
  const right = round(x + width);
  const corner = `M${round(x)} ${round(y + bandHeight)}V${round(y + 8)}Q${round(x)} ${round(y)} ${round(x + 8)} ${round(y)}`;
  return [
    ...(shared
      ? [
          box(x - OUTLINE, y - OUTLINE, width + 2 * OUTLINE, height + 2 * OUTLINE, {
            stroke: colours.shared,
            strokeWidth: 1.6,
            radius: 11,
          }),
        ]
      : []),
    box(x, y, width, height, { fill: paper, radius: 8 }),
    `<path d="${corner}H${round(x + width - 8)}Q${right} ${round(y)} ${right} ${round(y + 8)}V${round(y + bandHeight)}Z" fill="${band}"/>`,
    box(x, y, width, height, { stroke, strokeWidth: 1.6, radius: 8, ...dashes }),
  ];
}

function head(x: number, y: number, width: number, title: string, key: string, badge: string): string[] {
  const keyWidth = textWidth(key, 'mono', CODE.size);
  const shown = fitText(title, TITLE.font, TITLE.size, width - 2 * PADDING - keyWidth - 10);
  const parts = [
    text(x + PADDING, y + TITLE_HEIGHT / 2, shown, TITLE),
    ...(key === ''
      ? []
      : [text(x + width - PADDING, y + TITLE_HEIGHT / 2, key, { ...CODE, fill: colours.faint, anchor: 'end' })]),
  ];
  if (badge === '') return parts;
  const middle = y + TITLE_HEIGHT + BADGE_HEIGHT / 2 - 4;
  return [
    ...parts,
    sharedIcon(x + PADDING, middle),
    text(x + PADDING + SHARED_ICON_WIDTH + 2, middle, badge, { font: 'bold', size: 11, fill: colours.shared }),
  ];
}

function stepLines({ steps, kernels, engine }: PlannedStageView): StepLine[] {
  const lines = steps.map((step, index): StepLine => {
    const from = sourceOf(step, index, steps);
    const words = [step.summary, from].filter(Boolean).join(' ');
    if (engine === 'javascript') return { operator: step.operator, words, kernel: 'JavaScript', group: -1 };
    return { operator: step.operator, words, kernel: kernels[step.kernel ?? -1] ?? '', group: step.kernel };
  });
  if (lines.length <= SHOWN_STEPS) return lines;
  const hidden = lines.length - SHOWN_STEPS + 1;
  const more = { operator: `+ ${hidden} more operators`, words: '', kernel: '', group: undefined };
  return [...lines.slice(0, SHOWN_STEPS - 1), more];
}

/**
 * Returns the names of the operators whose results an operator of the stage reads, for example `←
 * mirror`. Returns an empty text if it reads only the result of the previous line. Arrows of the
 * picture show which inputs of the stage it reads.
 */
function sourceOf({ inputs }: StepView, index: number, steps: readonly StepView[]): string {
  const read = inputs.map((value) => steps.findIndex((candidate) => candidate.value === value));
  const own = read.filter((step) => step >= 0);
  if (own.length === 0 || (own.length === 1 && own[0] === index - 1)) return '';
  const named = own.map((step) => {
    const { operator } = steps[step]!;
    const alike = steps.slice(0, index).filter((earlier) => earlier.operator === operator).length > 1;
    return alike ? `${operator} (line ${step + 1})` : operator;
  });
  return `← ${[...new Set(named)].slice(0, 3).join(', ')}${named.length > 3 ? ', …' : ''}`;
}

const WORD_GAP = 8;
const lineWidth = ({ operator, words }: StepLine) =>
  textWidth(operator, 'mono', CODE.size) + (words === '' ? 0 : WORD_GAP + textWidth(words, 'sans', WORDS.size));

function drawStep({ operator, words }: StepLine, x: number, middle: number, room: number): string[] {
  const left = x + PADDING;
  const shown = fitText(operator, 'mono', CODE.size, room - PADDING);
  const used = textWidth(shown, 'mono', CODE.size) + WORD_GAP;
  const fitted = words === '' ? '' : fitText(words, 'sans', WORDS.size, room - PADDING - used);
  const parts = [text(left, middle, shown, CODE)];
  if (fitted.length > 1) parts.push(text(left + used, middle, fitted, { ...WORDS, fill: colours.faint }));
  return parts;
}

/**
 * Draws the name of each kernel beside the lines of the operators that it runs. A bracket groups
 * several lines.
 */
function brackets(lines: readonly StepLine[], x: number, top: number, room: number): string[] {
  const runs: { from: number; to: number; kernel: string }[] = [];
  lines.forEach(({ group, kernel }, index) => {
    if (group === undefined) return;
    if (index > 0 && lines[index - 1]!.group === group) runs.at(-1)!.to = index;
    else runs.push({ from: index, to: index, kernel });
  });
  return runs.flatMap(({ from, to, kernel }) => {
    const [first, last] = [top + from * STEP_HEIGHT + 3, top + (to + 1) * STEP_HEIGHT - 3];
    const fill = kernel === 'JavaScript' ? colours.javascript : from === to ? colours.faint : colours.ink;
    const name = text(x, (first + last) / 2, fitText(kernel, 'mono', CODE.size, room), { ...CODE, fill });
    if (from === to) return [name];
    return [line(`M${round(x - 14)} ${round(first)}h6V${round(last)}h-6`, fill, 1.2), name];
  });
}

function foot(
  { parameters, parameterBytes, measured }: PlannedStageView,
  folded: PictureStage['folded'],
  x: number,
  y: number,
  width: number,
): string[] {
  const sum =
    parameters.length === 0
      ? 'no parameters'
      : folded === undefined
        ? `${count(parameters.length, 'parameter')}, ${printBytes(parameterBytes)}`
        : `${folded.stages} × ${count(parameters.length, 'parameter')}, ${printBytes(folded.parameterBytes)} in all`;
  const middle = y + LINE_HEIGHT / 2;
  const first = text(x, middle, sum, SMALL);
  if (measured === undefined) return [first];
  const { nanoseconds, share, bytesRead, bytesWritten } = measured;
  const flow = `a row: reads ${printBytes(bytesRead)}, writes ${printBytes(bytesWritten)}`;
  const time = `${printTime(nanoseconds.median)} a row`;
  const portion = percent(share);
  const barLeft = x + textWidth(time, 'bold', 11) + 8;
  const barWidth = x + width - textWidth(portion, 'bold', 11) - 8 - barLeft;
  const barMiddle = middle + 2 * LINE_HEIGHT;
  return [
    first,
    text(x, middle + LINE_HEIGHT, flow, SMALL),
    text(x, barMiddle, time, { font: 'bold', size: 11, fill: colours.heat }),
    box(barLeft, barMiddle - 4, barWidth, 8, { fill: colours.heatBed, radius: 2 }),
    box(barLeft, barMiddle - 4, barWidth * Math.min(1, Math.max(0, share)), 8, { fill: colours.heat, radius: 2 }),
    text(x + width, barMiddle, portion, { font: 'bold', size: 11, fill: colours.heat, anchor: 'end' }),
  ];
}

const SHOWN_IN_TOOLTIP = 40;

function tooltip(
  { key, engine, steps, parameters, placement }: PlannedStageView,
  title: string,
  badge: string,
): string {
  const operators = steps.slice(0, SHOWN_IN_TOOLTIP).map(({ operator, summary }) => `${operator} ${summary}`.trim());
  const held = parameters.slice(0, SHOWN_IN_TOOLTIP).map(({ name, bytes }) => `${name} ${printBytes(bytes)}`);
  const location = placement && `device ${placementWords(placement)}`;
  return [`${title}, key ${key}, ${engine}`, badge, location, operators.join('; '), held.join('; ')]
    .filter(Boolean)
    .join('. ');
}
