import type { Drawing } from '@brezel/oven/explain-views';
import { count, javascriptLines, percent, printBytes, printTime, runOf } from '@brezel/oven/explain-views';
import { arrivals, arrowMarker, drawArrow } from './arrows.js';
import { foldModels, type Picture } from './fold.js';
import { type Direction, type Layout, layoutGraph } from './layout.js';
import { legendOf, legendWidth } from './legend.js';
import { colours, darkStyle, fonts } from './palette.js';
import { inputCard, modelCard } from './port-cards.js';
import { box, documentHead, round, text } from './shapes.js';
import { stageCard } from './stage-card.js';
import { type TabbedCard, withoutTabs, withTabs } from './tabs.js';
import { fitText, textWidth } from './text-width.js';

const MARGIN = 28;
const TITLE = { font: 'bold', size: 19 } as const;
const SUBTITLE = { font: 'sans', size: 12, fill: colours.faint } as const;
const TITLE_HEIGHT = 30;
const SUBTITLE_HEIGHT = 20;
const BELOW_TITLE = 22;
const ABOVE_LEGEND = 26;
const LEAST_WIDTH = 460;
const GREATEST_TITLE = 900;
/** The preferred ratio of a picture's width to its height, for pages and screens. */
const BEST_PROPORTION = 1.4;
const SCREEN_WIDTH = 1600;

/** Draws one or more plans as an SVG document. Shared parts and equal models are drawn once. */
export function drawPicture(merged: Drawing): string {
  const drawing = foldModels(merged);
  const [down, right] = (['down', 'right'] as const).map((direction) => arrange(drawing, direction));
  const { layout, cards } = ugliness(down!.layout) <= ugliness(right!.layout) ? down! : right!;
  const title = fitText(drawing.name, TITLE.font, TITLE.size, GREATEST_TITLE);
  const subtitles = subtitlesOf(drawing);
  const titleWidth = Math.max(
    textWidth(title, TITLE.font, TITLE.size),
    ...subtitles.map((subtitle) => textWidth(subtitle, SUBTITLE.font, SUBTITLE.size)),
  );
  const inner = Math.max(LEAST_WIDTH, layout.size.width, titleWidth, legendWidth(drawing));
  const legend = legendOf(drawing, inner);
  const top = MARGIN + TITLE_HEIGHT + subtitles.length * SUBTITLE_HEIGHT + BELOW_TITLE;
  const left = MARGIN + (inner - layout.size.width) / 2;
  const legendTop = top + layout.size.height + ABOVE_LEGEND;
  const [width, height] = [Math.ceil(inner + 2 * MARGIN), Math.ceil(legendTop + legend.height + MARGIN * 0.6)];
  return [
    ...documentHead(width, height, `${drawing.name}: plan`, description(drawing, subtitles)),
    `<defs><style>.bz-sans{font-family:${fonts.sans}}.bz-bold{font-family:${fonts.sans};font-weight:bold}.bz-mono{font-family:${fonts.mono}}${darkStyle()}</style>${arrowMarker}</defs>`,
    box(0, 0, width, height, { fill: colours.paper }),
    text(MARGIN, MARGIN + TITLE_HEIGHT / 2 - 4, title, TITLE),
    ...subtitles.map((subtitle, row) =>
      text(MARGIN, MARGIN + TITLE_HEIGHT + (row + 0.5) * SUBTITLE_HEIGHT, subtitle, SUBTITLE),
    ),
    `<g transform="translate(${round(left)} ${round(top)})">`,
    ...arrowsOf(drawing, layout, cards),
    ...[...cards].map(([id, card]) => card.draw(layout.nodes.get(id)!.x, layout.nodes.get(id)!.y)),
    '</g>',
    legend.draw(MARGIN, legendTop),
    '</svg>',
  ].join('\n');
}

/**
 * Lays out a drawing in one direction. The cards depend on the direction, because their tabs are on
 * the side where arrows start.
 */
function arrange(drawing: Picture, direction: Direction): { layout: Layout; cards: ReadonlyMap<string, TabbedCard> } {
  const models = drawing.views.plans.length;
  const cards = new Map<string, TabbedCard>([
    ...drawing.inputs.map((input) => [input.id, withoutTabs(inputCard(input), direction)] as const),
    ...drawing.stages.map((stage) => [stage.id, withTabs(stageCard(stage, models), stage.outputs, direction)] as const),
    ...drawing.models.map((model) => [model.id, withoutTabs(modelCard(model, models > 1), direction)] as const),
  ]);
  return { layout: layoutGraph(cards, drawing.edges, direction), cards };
}

/**
 * Returns the distance of a picture from the preferred proportion, with a penalty for width beyond
 * the screen: scrolling down is easier than scrolling sideways.
 */
const ugliness = ({ size: { width, height } }: Layout) =>
  Math.abs(Math.log(width / height / BEST_PROPORTION)) + Math.max(0, Math.log(width / SCREEN_WIDTH));

function arrowsOf(
  { edges }: Picture,
  { nodes, passes, direction }: Layout,
  cards: ReadonlyMap<string, TabbedCard>,
): string[] {
  const down = direction === 'down';
  const starts = edges.map(({ from, output }) => {
    const [corner, exit] = [nodes.get(from)!, cards.get(from)!.exit(output)];
    return { x: corner.x + exit.x, y: corner.y + exit.y };
  });
  const comingFrom = starts.map((start, index) => passes[index]!.at(-1)?.across ?? (down ? start.x : start.y));
  const sideOf = (node: string) => {
    const { x, y, width, height } = nodes.get(node)!;
    return down ? { start: x, length: width } : { start: y, length: height };
  };
  const places = arrivals(edges, comingFrom, sideOf);
  return edges.map((edge, index) => {
    const node = nodes.get(edge.to)!;
    const end = down ? { x: places[index]!, y: node.y } : { x: node.x, y: places[index]! };
    return drawArrow(starts[index]!, nodes.get(edge.from)!.levelEnd, passes[index]!, end, direction);
  });
}

function subtitlesOf({ views: { plans, fleet }, models }: Picture): string[] {
  const [only] = plans;
  const measured = models.map((model) => model.measured).filter((measurement) => measurement !== undefined);
  const first = measured[0];
  const time = first === undefined ? [] : [`measured on ${runOf(first)}`];
  if (plans.length === 1) {
    const whole = first
      ? `, ${printTime(first.total.median)} a row, ${percent(first.restShare)} of it around the stages`
      : '';
    return [
      `${count(only!.stages.length, 'stage')}, ${printBytes(only!.parameterBytes)} of parameters${whole}`,
      ...javascriptLines(only!.javascriptStages, only!.stages.length),
      ...time,
    ];
  }
  const { stages, parameters } = fleet;
  const saved = parameters.unsharedBytes === 0 ? 0 : 1 - parameters.bytes / parameters.unsharedBytes;
  return [
    `${count(stages.distinct, 'stage')} instead of ${stages.used}`,
    `${printBytes(parameters.bytes)} of parameters instead of ${printBytes(parameters.unsharedBytes)}: ${percent(saved)} less`,
    ...time,
  ];
}

function description({ inputs, stages, models }: Picture, subtitles: readonly string[]): string {
  const ports = inputs.map(({ name, type }) => `${name} : ${type}`).join(', ');
  const parts = stages.map(({ title, view }) => `${title}: ${view.steps.map((step) => step.operator).join(', ')}`);
  const answers = models.map(({ name, outputs }) => `${name}: ${outputs.map((output) => output.name).join(', ')}`);
  return `${subtitles.join('. ')}. Inputs: ${ports}. ${parts.join('. ')}. Answers of ${answers.join('; ')}.`;
}
