import { number } from './format.mjs';
import { groupBy } from './records.mjs';

// Draws the figures of docs/clipper.md: one picture with a panel for each figure.

/** @typedef {import('./records.mjs').Point} Point */
/**
 * A panel with one line for each series of a figure.
 *
 * @typedef {{ figure: string, title: string, xTitle: string, isLogX?: boolean, isLogY?: boolean,
 * limit?: number, value?: (point: Point) => number | undefined }} LinePanel
 */

const COLUMNS = 2;
const WIDTH = 430;
const HEIGHT = 262;
/** Space for the labels of the y axis, and for the names of the series. */
const [LEFT, RIGHT, TOP, BOTTOM] = [44, 150, 34, 38];
const [PLOT_WIDTH, PLOT_HEIGHT] = [WIDTH - LEFT - RIGHT, HEIGHT - TOP - BOTTOM];
const LABEL_GAP = 13;
/** The longest name of a series that fits beside a panel, in characters. */
const LONGEST_NAME = 27;

/** @type {readonly LinePanel[]} */
const panels = [
  {
    figure: 'clipper3',
    title: 'Figure 3: smallest latency of a request, ms',
    xTitle: 'rows per request',
    isLogX: true,
    isLogY: true,
    limit: 20,
    value: ({ min }) => min,
  },
  { figure: 'clipper5', title: 'Figure 5: rows per second of CPU', xTitle: 'ms that rows wait' },
  {
    figure: 'clipper8',
    title: 'Figure 8: cumulative errors per query',
    xTitle: 'queries; the kernel SVM fails in the second quarter',
  },
  {
    figure: 'clipper9-latency',
    title: 'Figure 9: p99 latency, ms',
    xTitle: 'models of the ensemble',
    isLogY: true,
    limit: 20,
    value: ({ p99 }) => p99,
  },
  { figure: 'clipper10', title: 'Figure 10: errors per query of a user', xTitle: 'feedbacks of the user, at least' },
];

const ENTITIES = /** @type {Record<string, string>} */ ({ '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' });
/** @param {unknown} text */
const plain = (text) => String(text).replace(/[&<>"]/g, (one) => ENTITIES[one]);

/**
 * Draws all figures that were measured.
 *
 * @param {readonly Point[]} points
 * @param {readonly import('./records.mjs').Comparison[]} comparisons
 * @returns {string} an SVG document
 */
export function clipperChart(points, comparisons) {
  const lines = panels.flatMap((panel) => {
    const own = points.filter(({ figure }) => figure === panel.figure);
    return own.length === 0 ? [] : [linePanel(own, panel)];
  });
  const drawn = [lines[0] ?? '', barPanel(comparisons), ...lines.slice(1)].filter((panel) => panel !== '');
  const [width, height] = [COLUMNS * WIDTH, Math.ceil(drawn.length / COLUMNS) * HEIGHT];
  const placed = drawn.map(
    (panel, index) =>
      `<g transform="translate(${(index % COLUMNS) * WIDTH} ${Math.floor(index / COLUMNS) * HEIGHT})">${panel}</g>`,
  );
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img" aria-label="The figures of the Clipper paper, measured with Brezel">
<style>${STYLE}</style>
<rect width="${width}" height="${height}" class="page"/>
${placed.join('\n')}
</svg>
`;
}

/**
 * Returns a scale from values to pixels, and the values of its ticks.
 *
 * @param {readonly number[]} values
 * @param {{ isLog?: boolean, from: number, to: number }} options pixels of the smallest and largest
 * value
 */
function scaleOf(values, { isLog = false, from, to }) {
  const ticks = isLog ? decades(values) : steps(Math.max(...values));
  const [least, most] = isLog
    ? [Math.log(Math.min(...values)), Math.log(Math.max(...values, /** @type {number} */ (ticks.at(-1))))]
    : [0, /** @type {number} */ (ticks.at(-1))];
  const position = (/** @type {number} */ value) =>
    from + (((isLog ? Math.log(value) : value) - least) / (most - least || 1)) * (to - from);
  return { position, ticks: ticks.filter((tick) => !isLog || tick >= Math.min(...values) * 0.99) };
}

/** @param {readonly number[]} values */
function decades(values) {
  const [first, last] = [Math.min(...values), Math.max(...values)].map((value) => Math.floor(Math.log10(value)));
  return Array.from({ length: last - first + 1 }, (_, index) => 10 ** (first + index));
}

/**
 * Returns about five round numbers from 0 to at least `most`.
 *
 * @param {number} most
 */
function steps(most) {
  const size = 10 ** Math.floor(Math.log10(most / 4));
  const step = /** @type {number} */ ([1, 2, 2.5, 5, 10].find((factor) => factor * size * 5 >= most)) * size;
  return Array.from({ length: Math.ceil(most / step - 1e-9) + 1 }, (_, index) => index * step);
}

const short = (/** @type {number} */ value) =>
  value >= 1000 ? `${value / 1000}k` : String(Number(value.toPrecision(2)));

/**
 * @param {readonly Point[]} points
 * @param {LinePanel} panel
 */
function linePanel(points, { title, xTitle, isLogX = false, isLogY = false, limit, value = ({ median }) => median }) {
  const known = points.flatMap((point) => {
    const [x, y] = [Number(point.x), value(point)];
    return y === undefined ? [] : [{ series: point.series, x, y }];
  });
  const across = scaleOf(
    known.map(({ x }) => x),
    { isLog: isLogX, from: LEFT, to: LEFT + PLOT_WIDTH },
  );
  const heights = [...known.map(({ y }) => y), ...(limit === undefined ? [] : [limit])];
  const up = scaleOf(heights, { isLog: isLogY, from: TOP + PLOT_HEIGHT, to: TOP });
  const curves = [...groupBy(known, ({ series }) => series)].map(([name, list], index) => ({
    name,
    className: `c${index}`,
    path: list
      .map(({ x, y }, at) => `${at === 0 ? 'M' : 'L'}${across.position(x).toFixed(1)} ${up.position(y).toFixed(1)}`)
      .join(''),
    end: up.position(/** @type {{ y: number }} */ (list.at(-1)).y),
  }));
  const objective =
    limit === undefined
      ? ''
      : `<path d="M${LEFT} ${up.position(limit).toFixed(1)}H${LEFT + PLOT_WIDTH}" class="limit"/><text x="${LEFT + 4}" y="${(up.position(limit) - 4).toFixed(1)}" class="tick">objective ${limit} ms</text>`;
  return [
    heading(title),
    grid(up),
    ...across.ticks.map(
      (tick) =>
        `<text x="${across.position(tick).toFixed(1)}" y="${HEIGHT - BOTTOM + 14}" class="tick middle">${short(tick)}</text>`,
    ),
    `<text x="${LEFT + PLOT_WIDTH / 2}" y="${HEIGHT - 8}" class="tick middle">${plain(xTitle)}</text>`,
    objective,
    ...curves.map(({ path, className }) => `<path d="${path}" class="line ${className}"/>`),
    ...names(curves),
  ].join('');
}

/** @param {string} title */
const heading = (title) => `<text x="12" y="20" class="title">${plain(title)}</text>`;

/** @param {ReturnType<typeof scaleOf>} up */
const grid = ({ position, ticks }) =>
  ticks
    .map((tick) => {
      const y = position(tick).toFixed(1);
      return `<path d="M${LEFT} ${y}H${LEFT + PLOT_WIDTH}" class="rule"/><text x="${LEFT - 5}" y="${Number(y) + 3}" class="tick end">${short(tick)}</text>`;
    })
    .join('');

/**
 * Writes the names of the curves beside the panel, in the order of their last values.
 *
 * @param {{ name: string, className: string, end: number }[]} curves
 */
function names(curves) {
  const x = LEFT + PLOT_WIDTH + 8;
  let next = TOP;
  const sorted = curves.toSorted((one, other) => one.end - other.end);
  return sorted.map(({ name, className, end }, index) => {
    const below = (sorted.length - 1 - index) * LABEL_GAP;
    const y = Math.max(next, Math.min(end, TOP + PLOT_HEIGHT - below));
    next = y + LABEL_GAP;
    const text = name.length > LONGEST_NAME ? `${name.slice(0, LONGEST_NAME - 1)}…` : name;
    return `<path d="M${x} ${y.toFixed(1)}h10" class="line ${className}"/><text x="${x + 14}" y="${(y + 3.5).toFixed(1)}" class="name">${plain(text)}</text>`;
  });
}

/**
 * Draws Figure 4: for each model, how many times more rows per second of CPU time each way to batch
 * answers than one request at a time.
 *
 * @param {readonly import('./records.mjs').Comparison[]} comparisons
 */
function barPanel(comparisons) {
  const bars = comparisons
    .filter(({ figure, rival }) => figure === 'clipper4-cpu' && rival === 'one at a time')
    .map(({ what, ratio }) => ({ model: what.split(', ')[0], strategy: what.split(', ')[1], ratio }));
  if (bars.length === 0) return '';
  const strategies = [...new Set(bars.map(({ strategy }) => strategy))];
  const groups = [...groupBy(bars, ({ model }) => model)];
  const up = scaleOf([...bars.map(({ ratio }) => ratio), 1], { from: TOP + PLOT_HEIGHT, to: TOP });
  const [group, bottom] = [PLOT_WIDTH / groups.length, up.position(0)];
  const width = (group - 10) / strategies.length;
  const drawn = groups.flatMap(([model, list], place) => {
    const left = LEFT + place * group + 5;
    const rects = list.map(({ strategy, ratio }) => {
      const index = strategies.indexOf(strategy);
      const [x, y] = [left + index * width, up.position(ratio)];
      return `<rect x="${x.toFixed(1)}" y="${y.toFixed(1)}" width="${(width - 1).toFixed(1)}" height="${(bottom - y).toFixed(1)}" class="f${index}"/>`;
    });
    const words = model.split('-');
    const label = words.map(
      (word, line) =>
        `<text x="${(left + group / 2 - 5).toFixed(1)}" y="${HEIGHT - BOTTOM + 13 + 11 * line}" class="tick middle">${plain(word)}</text>`,
    );
    return [...rects, ...label];
  });
  const legend = strategies.map((strategy, index) => {
    const y = TOP + 8 + index * 16;
    return `<rect x="${LEFT + PLOT_WIDTH + 8}" y="${y - 8}" width="10" height="10" class="f${index}"/><text x="${LEFT + PLOT_WIDTH + 22}" y="${y + 1}" class="name">${plain(strategy)}</text>`;
  });
  const most = number(Math.max(...bars.map(({ ratio }) => ratio)));
  return [heading(`Figure 4: rows/s of CPU, times one at a time (to ${most}x)`), grid(up), ...drawn, ...legend].join(
    '',
  );
}

/** The colors of the series in light and dark mode, in the order of the series. */
const COLORS = [
  ['#6e7781', '#8b949e'],
  ['#0f766e', '#2dd4bf'],
  ['#8250df', '#a371f7'],
  ['#9a6700', '#d29922'],
  ['#cf222e', '#f85149'],
  ['#d9730d', '#f0883e'],
  ['#1f6feb', '#4c8df6'],
];
const colors = (/** @type {0 | 1} */ mode) =>
  COLORS.map((pair, index) => `.c${index} { stroke: ${pair[mode]} } .f${index} { fill: ${pair[mode]} }`).join('\n');

const STYLE = `
text { font: 11px system-ui, -apple-system, "Segoe UI", Roboto, sans-serif; fill: #1c2024 }
.title { font-size: 12.5px; font-weight: 600 }
.name { font-size: 10.5px }
.tick { font-size: 10px; fill: #5b6470 }
.middle { text-anchor: middle }
.end { text-anchor: end }
.page { fill: #fff }
.rule { stroke: #e3e6ea }
.limit { stroke: #8b939d; stroke-dasharray: 4 3 }
.line { fill: none; stroke-width: 1.8 }
${colors(0)}
@media (prefers-color-scheme: dark) {
text { fill: #e6e9ec }
.tick { fill: #9aa2ac }
.page { fill: #0d1117 }
.rule { stroke: #262c34 }
.limit { stroke: #7d858f }
${colors(1)}
}
`;
