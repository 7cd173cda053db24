import type { PlannedStageView } from '@brezel/oven/explain-views';
import { printBytes } from '@brezel/oven/explain-views';
import { colours } from './palette.js';
import { box, SHARED_ICON_WIDTH, sharedIcon, text } from './shapes.js';
import { fitText, textWidth } from './text-width.js';

/** A parameter as a small label: its name and its bytes. */
export interface Chip {
  readonly label: string;
  readonly bytes: string;
  readonly shared: boolean;
  readonly width: number;
}

const NAME = { font: 'mono', size: 9.5 } as const;
const BYTES = { font: 'bold', size: 9.5 } as const;
const MARGIN = 6;
const BETWEEN = 5;
const HEIGHT = 16;
const SHOWN_CHIPS = 4;
const LONGEST_NAME = 180;

/**
 * Returns a chip for each of the largest parameters, and one chip for all others. The chip of a
 * parameter that several stages use shows their number (`usedBy`).
 */
export function parameterChips(parameters: PlannedStageView['parameters'], widest: number): Chip[] {
  const sorted = [...parameters].sort((a, b) => b.bytes - a.bytes);
  const all = sorted.length <= SHOWN_CHIPS + 1;
  const shown = all ? sorted : sorted.slice(0, SHOWN_CHIPS);
  const chips = shown.map(({ name, bytes, usedBy }) =>
    chip(name, usedBy > 1 ? ` in ${usedBy} stages` : '', bytes, widest),
  );
  if (all) return chips;
  const rest = sorted.slice(SHOWN_CHIPS);
  return [
    ...chips,
    chip(
      `${rest.length} more`,
      '',
      rest.reduce((sum, parameter) => sum + parameter.bytes, 0),
      widest,
    ),
  ];
}

function chip(name: string, places: string, size: number, widest: number): Chip {
  const bytes = printBytes(size);
  const shared = places !== '';
  const label = `${fitText(name, NAME.font, NAME.size, LONGEST_NAME)}${places}`;
  const content = textWidth(label, NAME.font, NAME.size) + BETWEEN + textWidth(bytes, BYTES.font, BYTES.size);
  return { label, bytes, shared, width: Math.min(widest, content + 2 * MARGIN + (shared ? SHARED_ICON_WIDTH : 0)) };
}

/** Divides chips into rows of at most the given width, in the given order. */
export function chipRows(chips: readonly Chip[], width: number): { chip: Chip; offset: number }[][] {
  const rows: { chip: Chip; offset: number }[][] = [];
  let offset = Number.POSITIVE_INFINITY;
  for (const chip of chips) {
    if (offset + chip.width > width) {
      rows.push([]);
      offset = 0;
    }
    rows.at(-1)!.push({ chip, offset });
    offset += chip.width + BETWEEN;
  }
  return rows;
}

export function drawChip({ label, bytes, shared, width }: Chip, x: number, y: number): string {
  const middle = y + HEIGHT / 2 + 1;
  const left = x + MARGIN + (shared ? SHARED_ICON_WIDTH : 0);
  const style = shared
    ? { fill: colours.sharedBand, stroke: colours.shared, radius: 4 }
    : { fill: colours.chip, stroke: colours.hair, radius: 4 };
  return [
    box(x, y + 1, width, HEIGHT, style),
    ...(shared ? [sharedIcon(x + MARGIN, middle)] : []),
    text(left, middle, label, NAME),
    text(x + width - MARGIN, middle, bytes, { ...BYTES, anchor: 'end' }),
  ].join('');
}
