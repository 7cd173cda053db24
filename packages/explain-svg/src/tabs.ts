import type { Card } from './card.js';
import type { Direction, Point } from './layout.js';
import { colours } from './palette.js';
import { box, text } from './shapes.js';
import { fitText, textWidth } from './text-width.js';

const TYPE = { font: 'mono', size: 10, fill: colours.ink } as const;
const HEIGHT = 17;
const MARGIN = 7;
const BETWEEN = 6;
const LONGEST_TYPE = 210;

/**
 * A card with a tab for each output. The tab shows the type of the output, and arrows start at the
 * tabs.
 */
export interface TabbedCard extends Card {
  /**
   * Returns the point where the arrows of an output start, relative to the upper left corner of the
   * card.
   */
  exit(output: number): Point;
}

/** Returns a card whose arrows start at its edge. */
export function withoutTabs(card: Card, direction: Direction): TabbedCard {
  const exit = direction === 'down' ? { x: card.width / 2, y: card.height } : { x: card.width, y: card.height / 2 };
  return { ...card, exit: () => exit };
}

/**
 * Adds tabs with the types of outputs below the card, or to the right of it if edges run to the
 * right.
 */
export function withTabs(card: Card, types: readonly string[], direction: Direction): TabbedCard {
  const labels = types.map((type) => fitText(type, TYPE.font, TYPE.size, LONGEST_TYPE));
  const widths = labels.map((label) => textWidth(label, TYPE.font, TYPE.size) + 2 * MARGIN);
  return direction === 'down' ? tabsBelow(card, labels, widths) : tabsBeside(card, labels, widths);
}

function tabsBelow(card: Card, labels: readonly string[], widths: readonly number[]): TabbedCard {
  const top = card.height + (card.outline ?? 0);
  const row = widths.reduce((sum, width) => sum + width + BETWEEN, -BETWEEN);
  const width = Math.max(card.width, row);
  const lefts: number[] = [];
  let left = (width - row) / 2;
  for (const tabWidth of widths) {
    lefts.push(left);
    left += tabWidth + BETWEEN;
  }
  return {
    width,
    height: top + HEIGHT,
    exit: (output) => ({ x: lefts[output]! + widths[output]! / 2, y: top + HEIGHT }),
    draw: (x, y) =>
      labels.map((label, index) => tab(x + lefts[index]!, y + top, widths[index]!, label)).join('\n') +
      card.draw(x + (width - card.width) / 2, y),
  };
}

function tabsBeside(card: Card, labels: readonly string[], widths: readonly number[]): TabbedCard {
  const left = card.width + (card.outline ?? 0);
  const column = labels.length * (HEIGHT + BETWEEN) - BETWEEN;
  const height = Math.max(card.height, column);
  const top = (index: number) => (height - column) / 2 + index * (HEIGHT + BETWEEN);
  return {
    width: left + Math.max(0, ...widths),
    height,
    exit: (output) => ({ x: left + widths[output]!, y: top(output) + HEIGHT / 2 }),
    draw: (x, y) =>
      labels.map((label, index) => tab(x + left, y + top(index), widths[index]!, label)).join('\n') +
      card.draw(x, y + (height - card.height) / 2),
  };
}

const tab = (x: number, y: number, width: number, label: string) =>
  box(x, y, width, HEIGHT, { fill: colours.paper, stroke: colours.edge, radius: 4 }) +
  text(x + width / 2, y + HEIGHT / 2, label, { ...TYPE, anchor: 'middle' });
