import type { DrawnInput, PortView } from '@brezel/oven/explain-views';
import { printTime } from '@brezel/oven/explain-views';
import type { Card } from './card.js';
import type { PictureModel } from './fold.js';
import { colours } from './palette.js';
import { box, group, text } from './shapes.js';
import { fitText, textWidth } from './text-width.js';

const NAME = { font: 'bold', size: 12 } as const;
const TYPE = { font: 'mono', size: 10.5, fill: colours.faint } as const;
const TITLE = { font: 'bold', size: 12.5 } as const;
const TIME = { font: 'bold', size: 11, fill: colours.heat } as const;
const LINE_HEIGHT = 18;
const MARGIN = 16;
const BETWEEN = 10;
const LONGEST_NAME = 200;
const LONGEST_TYPE = 220;
const SHOWN_PORTS = 8;
const SHOWN_NAMES = 8;

/** Draws an input as a pill with its name and type. */
export function inputCard({ name, type }: DrawnInput): Card {
  const line = portLine({ name, type });
  const [width, height] = [line.width + 2 * MARGIN, 32];
  return {
    width,
    height,
    draw: (x, y) =>
      group('input', `input ${name} : ${type}`, [
        box(x, y, width, height, { fill: colours.paper, stroke: colours.ink, strokeWidth: 1.4, radius: height / 2 }),
        line.draw(x + MARGIN, y + height / 2),
      ]),
  };
}

/**
 * Draws a box with the outputs of a model. With `titled`, the box also shows the name and the
 * measured time of the model.
 */
export function modelCard({ name, outputs, measured, names = [] }: PictureModel, titled: boolean): Card {
  const lines = outputs.slice(0, SHOWN_PORTS).map(portLine);
  const hidden = outputs.length - lines.length;
  const title = titled ? [fitText(name, TITLE.font, TITLE.size, LONGEST_NAME + LONGEST_TYPE)] : [];
  const time = titled && measured && names.length === 0 ? `${printTime(measured.total.median)} a row` : '';
  const titleWidth = title.map(
    (line) => textWidth(line, TITLE.font, TITLE.size) + ((time && 16 + textWidth(time, 'bold', 11)) || 0),
  );
  const shownNames = names.length <= SHOWN_NAMES ? names : names.slice(0, SHOWN_NAMES - 1);
  const nameLines = [
    ...shownNames.map((one) => fitText(one, TYPE.font, TYPE.size, LONGEST_NAME)),
    ...(shownNames.length < names.length ? [`${names.length - shownNames.length} more`] : []),
  ];
  const outputRows = lines.length + (hidden > 0 ? 1 : 0);
  const rows = title.length + outputRows + nameLines.length;
  const nameWidth = Math.max(0, ...nameLines.map((one) => textWidth(one, TYPE.font, TYPE.size)));
  const width = 2 * MARGIN + Math.max(60, nameWidth, ...lines.map((line) => line.width), ...titleWidth);
  const height = rows * LINE_HEIGHT + 12;
  const draw = (x: number, y: number) => {
    const middle = (row: number) => y + 6 + (row + 0.5) * LINE_HEIGHT;
    const ports = outputs.map((output) => `${output.name} : ${output.type}`).join('; ');
    const tooltip = [`${name}: ${ports}`, names.join(', ')].filter(Boolean).join('. ');
    return group('output', tooltip, [
      box(x, y, width, height, { fill: colours.paper, stroke: colours.ink, strokeWidth: 1.4, radius: 15 }),
      ...title.map((line) => text(x + MARGIN, middle(0), line, TITLE)),
      ...(time === '' ? [] : [text(x + width - MARGIN, middle(0), time, { ...TIME, anchor: 'end' })]),
      ...lines.map((line, index) => line.draw(x + MARGIN, middle(title.length + index))),
      ...(hidden > 0 ? [text(x + MARGIN, middle(title.length + lines.length), `${hidden} more`, TYPE)] : []),
      ...nameLines.map((one, index) => text(x + MARGIN, middle(title.length + outputRows + index), one, TYPE)),
    ]);
  };
  return { width, height, draw };
}

function portLine({ name, type }: PortView): { readonly width: number; draw(x: number, middle: number): string } {
  const shownName = fitText(name, NAME.font, NAME.size, LONGEST_NAME);
  const shownType = fitText(type, TYPE.font, TYPE.size, LONGEST_TYPE);
  const typeLeft = textWidth(shownName, NAME.font, NAME.size) + BETWEEN;
  return {
    width: typeLeft + textWidth(shownType, TYPE.font, TYPE.size),
    draw: (x, middle) => text(x, middle, shownName, NAME) + text(x + typeLeft, middle, shownType, TYPE),
  };
}
