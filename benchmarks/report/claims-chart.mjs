import { times, wrapped } from './format.mjs';
import { claimsIn } from './paper.mjs';

// Draws the chart of the README. Each claim of the paper is a row, with a bar against each graph
// and PRETZEL's bar.

const WIDTH = 640;
const MARGIN = 14;
const TOP = 66;
/** x coordinate where the bars start. */
const LEFT = 196;
const BAR = 11;
/** Distance between the tops of two neighboring bars. A text of 10.5 pixels needs 13. */
const BAR_STEP = 14;
const ROW_GAP = 10;
/** Space for the text after the longest bar. */
const VALUE_SPACE = 58;
const TICKS = [1, 10, 100];

const LEGEND = [
  { className: 'natural', text: 'onnxruntime, exported graph', x: MARGIN + 88 },
  { className: 'expert', text: 'onnxruntime, expert graph', x: MARGIN + 272 },
  { className: 'paper', text: 'PRETZEL, in its paper', x: MARGIN + 436 },
];

const ENTITIES = /** @type {Record<string, string>} */ ({ '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' });
/**
 * Escapes text for SVG.
 *
 * @param {unknown} text
 */
const plain = (text) => String(text).replace(/[&<>"]/g, (one) => ENTITIES[one]);

/**
 * Draws the bar chart of the README. A claim has a bar for each onnxruntime graph that was
 * measured, and a bar for PRETZEL.
 *
 * @param {readonly import('./paper.mjs').Comparison[]} comparisons
 * @returns {string} an SVG document
 */
export function claimsChart(comparisons) {
  const claims = claimsIn(comparisons, []);
  const bars = claims.map(({ found, paper, rivals }) => [
    {
      className: 'natural',
      value: found.natural.ratio,
      text: `${times(found.natural.ratio)}${rivals ? ` (${rivals})` : ''}`,
    },
    ...(found.expert ? [{ className: 'expert', value: found.expert.ratio, text: times(found.expert.ratio) }] : []),
    { className: 'paper', value: paper.ratio, text: paper.text },
  ]);
  const scale = logScale([...bars.flat().flatMap(({ value }) => value ?? []), 1]);
  let y = TOP;
  const rows = claims.map(({ what }, index) => {
    const middle = y + (bars[index].length * BAR_STEP) / 2 + 4;
    const label = `<text x="${LEFT - 10}" y="${middle}" class="label">${plain(what)}</text>`;
    const drawn = bars[index].map((bar, line) => barAt(y + line * BAR_STEP, bar, scale));
    y += bars[index].length * BAR_STEP + ROW_GAP;
    return label + drawn.join('');
  });
  return svgDocument(y + 20, [heading(), ...rules(scale, y), ...rows].join('\n'));
}

/**
 * Writes the chart and its caption for the README.
 *
 * @param {{ machine: string, picture: string }} about
 */
export const chartPart = ({ machine, picture }) =>
  [
    `<img src="${picture}" width="640" alt="Bars: how many times better Brezel is than onnxruntime-node, and PRETZEL than its rivals, for each claim of the paper">`,
    '',
    wrapped(
      `The chart compares the claims of the PRETZEL paper with measurements of 250 sentiment (SA) and 250 attendee-count (AC) pipelines in one process. A bar of Brezel is its ratio to onnxruntime-node on one machine. A bar of PRETZEL is its ratio to ML.Net or Clipper, as the paper reports it. [The evaluation](docs/evaluation.md) has all figures and a second run. Machine: ${machine}.`,
    ),
  ].join('\n');

/**
 * Returns a logarithmic scale from ratios to pixels.
 *
 * @param {readonly number[]} values
 * @returns {(value: number) => number}
 */
function logScale(values) {
  const [low, high] = [Math.log(Math.min(...values)), Math.log(Math.max(...values))];
  const unit = (WIDTH - VALUE_SPACE - LEFT) / Math.max(1, high - low);
  return (value) => LEFT + (Math.log(value) - low) * unit;
}

/**
 * Draws a bar with its text.
 *
 * @param {number} y
 * @param {{ className: string, value?: number, text: string }} bar
 * @param {(value: number) => number} scale
 */
function barAt(y, { className, value, text }, scale) {
  const [from, to] = [scale(1), scale(value ?? 1)];
  const [left, width] = [Math.min(from, to), Math.max(1, Math.abs(to - from))];
  const bar =
    value === undefined
      ? ''
      : `<rect x="${left.toFixed(1)}" y="${y}" width="${width.toFixed(1)}" height="${BAR}" class="${className}"/>`;
  return `${bar}<text x="${(Math.max(from, to) + 5).toFixed(1)}" y="${y + 9.5}" class="value">${plain(text)}</text>`;
}

/**
 * Draws vertical grid lines, each labeled with its ratio.
 *
 * @param {(value: number) => number} scale
 * @param {number} bottom
 */
function rules(scale, bottom) {
  return TICKS.map((tick) => {
    const x = scale(tick).toFixed(1);
    const rule = `<path d="M${x} ${TOP - 4}V${bottom}" class="${tick === 1 ? 'one' : 'rule'}"/>`;
    return `${rule}<text x="${x}" y="${bottom + 13}" class="tick">${tick}x</text>`;
  });
}

function heading() {
  const legend = LEGEND.map(
    ({ className, text, x }) =>
      `<rect x="${x}" y="36" width="10" height="10" class="${className}"/><text x="${x + 15}" y="45" class="value">${plain(text)}</text>`,
  );
  return `<text x="${MARGIN}" y="21" class="title">How many times better than the rival (logarithmic; left of 1x is worse)</text><text x="${MARGIN}" y="45" class="value">compared with</text>${legend.join('')}`;
}

/**
 * @param {number} height
 * @param {string} content
 */
const svgDocument = (
  height,
  content,
) => `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${height}" width="${WIDTH}" height="${height}" role="img" aria-label="Times better than the rival: Brezel against onnxruntime-node, PRETZEL against its rivals">
<style>${STYLE}</style>
<rect width="${WIDTH}" height="${height}" class="page"/>
${content}
</svg>
`;

const STYLE = `
text { font: 11px system-ui, -apple-system, "Segoe UI", Roboto, sans-serif; fill: #1c2024 }
.title { font-size: 13px; font-weight: 600 }
.label { font-size: 12px; text-anchor: end }
.value { font-size: 10.5px; fill: #4a525c; stroke: #fff; stroke-width: 3px; stroke-linejoin: round; paint-order: stroke }
.tick { font-size: 10px; fill: #5b6470; text-anchor: middle }
.page { fill: #fff }
.natural { fill: #1f6feb }
.expert { fill: #8ab8f5 }
.paper { fill: #9aa2ac }
.rule { stroke: #e3e6ea }
.one { stroke: #8b939d }
@media (prefers-color-scheme: dark) {
text { fill: #e6e9ec }
.value { fill: #b3bac2; stroke: #0d1117 }
.tick { fill: #9aa2ac }
.page { fill: #0d1117 }
.natural { fill: #4c8df6 }
.expert { fill: #2c5aa0 }
.paper { fill: #6b737d }
.rule { stroke: #262c34 }
.one { stroke: #7d858f }
}
`;
