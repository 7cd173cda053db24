import { colours, darkStyle, fonts } from './palette.js';
import { box, documentHead } from './shapes.js';
import { textWidth } from './text-width.js';

// The pictures of explanations, `waterfall.ts` and `beeswarm.ts`, have the same margins, fonts and
// widths, and the same document around their shapes.

export const MARGIN = 20;
export const GAP = 12;
/** The names take at most this part of the width. */
export const NAME_SHARE = 0.4;
export const TITLE = { font: 'bold', size: 16 } as const;
export const NOTE = { font: 'sans', size: 12, fill: colours.faint } as const;
export const NAME = { font: 'sans', size: 12 } as const;
export const NUMBER = { font: 'mono', size: 12 } as const;

const [NARROWEST, WIDEST] = [320, 4000];
/** The width of a picture without the option `width`. */
export const USUAL_WIDTH = 760;

/**
 * Checks the width of a picture.
 * @throws RangeError
 */
export function checkWidth(width: number): void {
  if (typeof width === 'number' && width >= NARROWEST && width <= WIDEST) return;
  throw new RangeError(`width: expected a number from ${NARROWEST} to ${WIDEST}, received ${width}`);
}

/** Returns the width of the widest text. */
export const widest = (texts: readonly string[], { font, size }: typeof NAME | typeof NUMBER): number =>
  texts.reduce((most, content) => Math.max(most, textWidth(content, font, size)), 0);

/** Wraps shapes in a document whose colors follow the scheme of the viewer. */
export const document = (width: number, height: number, title: string, about: string, parts: readonly string[]) =>
  [
    ...documentHead(width, height, title, about),
    `<defs><style>.bz-sans{font-family:${fonts.sans}}.bz-bold{font-family:${fonts.sans};font-weight:bold}.bz-mono{font-family:${fonts.mono}}${darkStyle()}</style></defs>`,
    box(0, 0, width, height, { fill: colours.paper }),
    ...parts,
    '</svg>',
  ].join('\n');
