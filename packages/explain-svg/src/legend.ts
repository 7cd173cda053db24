import type { Picture } from './fold.js';
import { colours } from './palette.js';
import { box, group, line, round, sharedIcon, text } from './shapes.js';
import { textWidth } from './text-width.js';

const WORDS = { font: 'sans', size: 10.5, fill: colours.faint } as const;
const SIGN_WIDTH = 26;
const BETWEEN = 22;
const ROW_HEIGHT = 22;

interface Entry {
  readonly words: string;
  /** Draws the symbol with its middle at height `y`. */
  sign(x: number, y: number): string;
}

const stageSign =
  (role: 'featurizer' | 'model') =>
  (x: number, y: number): string =>
    box(x, y - 6, 20, 12, { fill: colours[role].band, stroke: colours[role].line, strokeWidth: 1.4, radius: 3 });

/** Returns the legend entries for the symbols in the drawing. */
function entriesOf({ stages, models }: Picture): Entry[] {
  const views = stages.map((stage) => stage.view);
  const has = (test: (view: (typeof views)[number]) => boolean) => views.some(test);
  const entries: (Entry | false)[] = [
    has((view) => view.role === 'featurizer') && {
      words: 'featurizer: state that pipelines can share',
      sign: stageSign('featurizer'),
    },
    has((view) => view.role === 'model') && { words: "model: a model's own weights", sign: stageSign('model') },
    stages.some((stage) => stage.users.length > 1) && {
      words: 'shared by several models, stored once',
      sign: (x, y) =>
        box(x, y - 7, 20, 14, { stroke: colours.shared, strokeWidth: 1.6, radius: 4 }) + sharedIcon(x + 5, y),
    },
    stages.some(({ folded }) => folded !== undefined) && {
      words: 'equal stages of several models, with different parameters',
      sign: (x, y) =>
        box(x + 3, y - 4, 20, 12, { fill: colours.model.paper, stroke: colours.model.line, radius: 3 }) +
        stageSign('model')(x, y - 1),
    },
    has(({ steps }) =>
      steps.some(({ kernel }, index) => kernel !== undefined && kernel === steps[index + 1]?.kernel),
    ) && {
      words: 'operators in one kernel',
      sign: (x, y) => line(`M${round(x + 6)} ${round(y - 6)}h6v12h-6`, colours.edge, 1.2),
    },
    has((view) => view.engine === 'javascript') && {
      words: 'runs in JavaScript',
      sign: (x, y) => box(x, y - 6, 20, 12, { stroke: colours.faint, strokeWidth: 1.4, radius: 3, dashes: '4 3' }),
    },
    has((view) => view.parameters.length > 0) && {
      words: 'parameter and its bytes',
      sign: (x, y) => box(x, y - 5, 20, 10, { fill: colours.chip, stroke: colours.hair, radius: 3 }),
    },
    has((view) => view.parameters.some((parameter) => parameter.usedBy > 1)) && {
      words: 'parameter shared by several stages, stored once',
      sign: (x, y) => box(x, y - 5, 20, 10, { fill: colours.sharedBand, stroke: colours.shared, radius: 3 }),
    },
    has((view) => view.measured !== undefined) && {
      words:
        models.length > 1 || models[0]?.names
          ? 'share of the row time in the first model that runs it'
          : 'share of the row time',
      sign: (x, y) =>
        box(x, y - 4, 20, 8, { fill: colours.heatBed, radius: 2 }) +
        box(x, y - 4, 12, 8, { fill: colours.heat, radius: 2 }),
    },
  ];
  return entries.filter((entry) => entry !== false);
}

export interface Legend {
  readonly height: number;
  draw(x: number, y: number): string;
}

/** Draws the legend: symbols with their descriptions, in rows of at most the given width. */
export function legendOf(drawing: Picture, width: number): Legend {
  let [left, row] = [0, 0];
  const placed = entriesOf(drawing).map((entry) => {
    const entryWidth = SIGN_WIDTH + textWidth(entry.words, WORDS.font, WORDS.size);
    if (left > 0 && left + entryWidth > width) [left, row] = [0, row + 1];
    const placed = { entry, left, row };
    left += entryWidth + BETWEEN;
    return placed;
  });
  const draw = (x: number, y: number) =>
    group(
      'legend',
      'Legend',
      placed.map(({ entry, left, row }) => {
        const middle = y + (row + 0.5) * ROW_HEIGHT;
        return entry.sign(x + left, middle) + text(x + left + SIGN_WIDTH, middle, entry.words, WORDS);
      }),
    );
  return { height: placed.length === 0 ? 0 : (row + 1) * ROW_HEIGHT, draw };
}

/** Returns the width of the widest legend entry: the minimum width of a picture. */
export const legendWidth = (drawing: Picture) =>
  Math.max(0, ...entriesOf(drawing).map((entry) => SIGN_WIDTH + textWidth(entry.words, WORDS.font, WORDS.size)));
