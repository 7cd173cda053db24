import { printable } from '@brezel/oven/explain-views';
import { colours } from './palette.js';
import type { Font } from './text-width.js';

export interface TextStyle {
  readonly font: Font;
  readonly size: number;
  readonly fill?: string;
  readonly anchor?: 'start' | 'middle' | 'end';
}

/** Longer than anything that fits a box: tooltips, the description. */
const LONGEST_TEXT = 4000;

/** Text as XML holds it: what XML 1.0 cannot hold at all is replaced. */
export function xmlText(text: string): string {
  return printable(text, LONGEST_TEXT)
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;');
}

/** One line of text; `y` is its middle. An element of its own, so that letters from right to left do not reorder what stands beside them. */
export function text(
  x: number,
  y: number,
  content: string,
  { font, size, fill = colours.ink, anchor }: TextStyle,
): string {
  const from = anchor === undefined || anchor === 'start' ? '' : ` text-anchor="${anchor}"`;
  // Where letters stand relative to their middle is told in numbers: not every viewer knows `dominant-baseline`.
  return `<text class="bz-${font}" x="${round(x)}" y="${round(y + size * 0.35)}" font-size="${size}" fill="${fill}"${from}>${xmlText(content)}</text>`;
}

export interface BoxStyle {
  readonly fill?: string;
  readonly stroke?: string;
  readonly strokeWidth?: number;
  readonly radius?: number;
  readonly dashes?: string;
}

export function box(x: number, y: number, width: number, height: number, style: BoxStyle): string {
  const { fill = 'none', stroke, strokeWidth = 1, radius = 0, dashes } = style;
  const line = stroke === undefined ? '' : ` stroke="${stroke}" stroke-width="${strokeWidth}"`;
  const dash = dashes === undefined ? '' : ` stroke-dasharray="${dashes}"`;
  return `<rect x="${round(x)}" y="${round(y)}" width="${round(width)}" height="${round(height)}" rx="${radius}" fill="${fill}"${line}${dash}/>`;
}

export function line(path: string, stroke: string, strokeWidth = 1, more = ''): string {
  return `<path d="${path}" fill="none" stroke="${stroke}" stroke-width="${strokeWidth}"${more}/>`;
}

/** Two sheets, one behind the other: what is there once and used by several. */
export function sharedIcon(x: number, y: number): string {
  const sheet = { fill: colours.paper, stroke: colours.shared, strokeWidth: 1.4, radius: 1.5 };
  return box(x + 3, y - 5, 7, 7, sheet) + box(x, y - 2, 7, 7, sheet);
}
export const SHARED_ICON_WIDTH = 14;

/** A group with what a pointer that rests on it is told. */
export function group(kind: string, tooltip: string, content: readonly string[]): string {
  return `<g class="bz-${kind}"><title>${xmlText(tooltip)}</title>\n${content.join('\n')}\n</g>`;
}

/** A tenth of a pixel is enough, and the same on every machine. */
export const round = (number: number) => Math.round(number * 10) / 10 || 0;
