import { printable } from '@brezel/oven/explain-views';
import { colours } from './palette.js';
import type { Font } from './text-width.js';

export interface TextStyle {
  readonly font: Font;
  readonly size: number;
  readonly fill?: string;
  readonly anchor?: 'start' | 'middle' | 'end';
}

/** Longer texts are truncated in tooltips and in the description of the picture. */
const LONGEST_TEXT = 4000;

/** Escapes a text for XML, and replaces characters that XML 1.0 cannot represent. */
export function xmlText(text: string): string {
  return printable(text, LONGEST_TEXT)
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;');
}

/**
 * Returns the first lines of a document: its size, and its name and description for screen readers.
 * The lines have no ids, because a page may contain several pictures.
 */
export const documentHead = (width: number, height: number, title: string, about: string): readonly string[] => [
  `<svg xmlns="http://www.w3.org/2000/svg" class="bz-plan" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img" aria-label="${xmlText(title)}">`,
  `<title>${xmlText(title)}</title>`,
  `<desc>${xmlText(about)}</desc>`,
];

/**
 * Draws one line of text with its middle at height `y`. Each text is a separate element, so that
 * right-to-left letters do not reorder their neighbors.
 */
export function text(
  x: number,
  y: number,
  content: string,
  { font, size, fill = colours.ink, anchor }: TextStyle,
): string {
  const from = anchor === undefined || anchor === 'start' ? '' : ` text-anchor="${anchor}"`;
  // The vertical offset is a number because some viewers do not support `dominant-baseline`.
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

/** Draws two sheets, one behind the other: the symbol for a shared part. */
export function sharedIcon(x: number, y: number): string {
  const sheet = { fill: colours.paper, stroke: colours.shared, strokeWidth: 1.4, radius: 1.5 };
  return box(x + 3, y - 5, 7, 7, sheet) + box(x, y - 2, 7, 7, sheet);
}
export const SHARED_ICON_WIDTH = 14;

/** Draws a group with a tooltip. */
export function group(kind: string, tooltip: string, content: readonly string[]): string {
  return `<g class="bz-${kind}"><title>${xmlText(tooltip)}</title>\n${content.join('\n')}\n</g>`;
}

/** Rounds to a tenth of a pixel, which is precise enough and equal on every machine. */
export const round = (number: number) => Math.round(number * 10) / 10 || 0;
