import { number } from './format.mjs';

// Small SVG charts for the report page. They are 360 pixels wide, so that a phone can show one, and
// a desktop several beside each other.

export const WIDTH = 360;
/** A scale is logarithmic if the largest value is at least this many times the smallest. */
const LOG_FROM = 20;

const ENTITIES = /** @type {Record<string, string>} */ ({ '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' });
/** Escapes text for HTML. @param {unknown} text */
export const plain = (text) => String(text).replace(/[&<>"]/g, (one) => ENTITIES[one]);

/** Formats a number on an axis. @param {number} value */
const tickText = (value) => Number(value.toPrecision(3)).toLocaleString('en-US', { maximumSignificantDigits: 3 });

/**
 * Returns a scale from values to pixels.
 *
 * @param {number[]} values @param {number} from pixel of the low end @param {number} to
 * @param {{ isBar?: boolean, isLinear?: boolean }} [options] with `isBar`, even the smallest value
 * has a length; with `isLinear`, the scale is never logarithmic
 */
export function scaleOf(values, from, to, { isBar = false, isLinear = false } = {}) {
  const [least, most] = [Math.min(...values), Math.max(...values)];
  const isLog = !isLinear && least > 0 && most / least >= LOG_FROM;
  const low = isLog ? (isBar ? 10 ** Math.floor(Math.log10(least) - 0.15) : least) : Math.min(0, least);
  const high = most > low ? most : low + 1;
  const share = (/** @type {number} */ value) =>
    isLog ? Math.log(Math.max(value, low) / low) / Math.log(high / low) : (value - low) / (high - low);
  return {
    isLog,
    at: (/** @type {number} */ value) => from + (to - from) * share(value),
    ticks: isLog ? logTicks(low, high) : linearTicks(low, high),
  };
}

const MOST_TICKS = 6;

/**
 * Returns ticks at powers of ten, or also at 2 and 5 times each power if there are few.
 *
 * @param {number} low
 * @param {number} high
 */
function logTicks(low, high) {
  const first = Math.floor(Math.log10(low));
  const decades = Array.from({ length: Math.ceil(Math.log10(high)) - first + 1 }, (_, index) => 10 ** (first + index));
  const within = (/** @type {number[]} */ ticks) => ticks.filter((tick) => tick >= low * 0.999 && tick <= high * 1.001);
  const fine = within(decades.flatMap((decade) => [decade, 2 * decade, 5 * decade]));
  if (fine.length <= MOST_TICKS) return fine;
  const coarse = within(decades);
  const step = Math.ceil(coarse.length / MOST_TICKS);
  return coarse.filter((_, index) => index % step === 0);
}

/** @param {number} low @param {number} high */
function linearTicks(low, high) {
  const rough = (high - low) / 4;
  const unit = 10 ** Math.floor(Math.log10(rough));
  const step = /** @type {number} */ ([1, 2, 5, 10].find((factor) => factor * unit >= rough)) * unit;
  const first = Math.ceil(low / step - 1e-9);
  return Array.from({ length: Math.floor(high / step + 1e-9) - first + 1 }, (_, index) => (first + index) * step);
}

const CHARACTERS = 54;
const LINE = 14;

/** Splits a label into lines. @param {string} text @returns {string[]} */
function wrap(text) {
  const lines = [''];
  for (const word of text.split(' ')) {
    const line = /** @type {string} */ (lines.at(-1));
    if (line === '' || line.length + word.length < CHARACTERS) lines[lines.length - 1] = `${line} ${word}`.trim();
    else lines.push(word);
  }
  return lines;
}

/**
 * @typedef {{ label: string, className: string, value: number, low?: number, high?: number, tail?:
 * number }} Bar
 */

const BAR = 12;
const GAP = 8;
const VALUE_SPACE = 74;

/**
 * Draws horizontal bars. A label is above each bar, and the value at its end. A line shows `low` to
 * `high`, and a dot shows `tail` (p99).
 *
 * @param {string} title
 * @param {string} unit
 * @param {Bar[]} bars
 */
export function barChart(title, unit, bars) {
  const { caption, height, content } = drawn(unit, bars);
  return figure(title, caption, height, content);
}

/** @param {string} unit @param {Bar[]} bars */
function drawn(unit, bars) {
  const extents = bars.flatMap(({ value, low = value, high = value, tail = value }) => [value, low, high, tail]);
  const scale = scaleOf(extents, 0, WIDTH - VALUE_SPACE, { isBar: true });
  let top = 0;
  const rows = bars.map((bar) => {
    const lines = wrap(bar.label);
    const text = lines.map(
      (line, index) => `<text y="${top + (index + 1) * LINE - 3}" class="label">${plain(line)}</text>`,
    );
    const from = top + lines.length * LINE + 2;
    top = from + BAR + GAP;
    return `${text.join('')}${barAt(from, bar, scale)}`;
  });
  return { caption: `${unit}${scale.isLog ? ', log scale' : ''}`, height: top, content: rows.join('\n') };
}

/** @param {number} top @param {Bar} bar @param {ReturnType<typeof scaleOf>} scale */
function barAt(top, { className, value, low, high, tail }, scale) {
  const middle = top + BAR / 2;
  const end = Math.max(1, scale.at(value));
  const others = [high, tail].filter((one) => one !== undefined).map((one) => scale.at(one));
  const whisker =
    low !== undefined && high !== undefined && high > low
      ? `<path d="M${scale.at(low).toFixed(1)} ${middle}H${scale.at(high).toFixed(1)}" class="whisker"/>`
      : '';
  const dot = tail === undefined ? '' : `<circle cx="${scale.at(tail).toFixed(1)}" cy="${middle}" r="3" class="tail"/>`;
  return [
    `<rect y="${top}" width="${end.toFixed(1)}" height="${BAR}" rx="2" class="bar ${className}"/>${whisker}${dot}`,
    `<text x="${(Math.max(end, ...others) + 8).toFixed(1)}" y="${top + BAR - 2}" class="value">${number(value)}</text>`,
  ].join('');
}

/**
 * @typedef {{ name: string, className: string, points: { x: number, y: number, tail?: number }[] }}
 * Line
 */

const PLOT = { left: 44, right: WIDTH - 10, top: 8, bottom: 170 };

/** More dots than this would hide the line. */
const MOST_DOTS = 40;

/**
 * Draws lines over a number. The p99 is dashed.
 *
 * @param {string} title
 * @param {string} unit
 * @param {string} xUnit
 * @param {Line[]} lines
 * @param {{ isLinear?: boolean }} [options] of the number below
 */
export function lineChart(title, unit, xUnit, lines, options) {
  const points = lines.flatMap((line) => line.points);
  const x = scaleOf(
    points.map((point) => point.x),
    PLOT.left,
    PLOT.right,
    options,
  );
  const y = scaleOf(
    points.flatMap((point) => [point.y, point.tail ?? point.y]),
    PLOT.bottom,
    PLOT.top,
  );
  const grid = y.ticks.map((tick) => {
    const height = y.at(tick).toFixed(1);
    return `<path d="M${PLOT.left} ${height}H${PLOT.right}" class="grid"/><text x="${PLOT.left - 5}" y="${height}" dy="4" class="tick end">${tickText(tick)}</text>`;
  });
  const feet = x.ticks.map(
    (tick) => `<text x="${x.at(tick).toFixed(1)}" y="${PLOT.bottom + 16}" class="tick middle">${tickText(tick)}</text>`,
  );
  const axis = `<text x="${PLOT.right}" y="${PLOT.bottom + 32}" class="tick end">${plain(xUnit)}${x.isLog ? ', log scale' : ''}</text>`;
  const paths = lines.map((line) => lineAt(line, x.at, y.at, `${xUnit}: `, unit));
  const hasTails = points.some(({ tail }) => tail !== undefined);
  const legend = lines.map(({ name, className }) => `<li><i class="${className}"></i>${plain(name)}</li>`).join('');
  const caption = `${unit}${y.isLog ? ', log scale' : ''}${hasTails ? '; dashed: p99' : ''}`;
  const content = [...grid, ...feet, axis, ...paths].join('');
  return figure(title, caption, PLOT.bottom + 38, content, `<ul class="legend">${legend}</ul>`);
}

/**
 * @param {Line} line
 * @param {(value: number) => number} x
 * @param {(value: number) => number} y
 * @param {string} xUnit
 * @param {string} unit
 */
function lineAt({ className, points }, x, y, xUnit, unit) {
  const sorted = points.toSorted((a, b) => a.x - b.x);
  const path = (/** @type {number[]} */ values) =>
    sorted
      .map((point, index) => `${index === 0 ? 'M' : 'L'}${x(point.x).toFixed(1)} ${y(values[index]).toFixed(1)}`)
      .join('');
  const dots = sorted.map(
    (point) =>
      `<circle cx="${x(point.x).toFixed(1)}" cy="${y(point.y).toFixed(1)}" r="3" class="dot ${className}"><title>${number(point.x)} ${plain(xUnit)}${number(point.y)} ${plain(unit)}</title></circle>`,
  );
  const tails = sorted.map(({ tail }) => tail).filter((tail) => tail !== undefined);
  const dashed = tails.length === sorted.length ? `<path d="${path(tails)}" class="line dashed ${className}"/>` : '';
  const full = `<path d="${path(sorted.map((point) => point.y))}" class="line ${className}"/>`;
  return `${full}${dashed}${sorted.length > MOST_DOTS ? '' : dots.join('')}`;
}

/**
 * @param {string} title
 * @param {string} caption
 * @param {number} height
 * @param {string} content
 * @param {string} [after]
 */
const figure = (title, caption, height, content, after = '') =>
  `<figure><figcaption><b>${plain(title)}</b> <span>${plain(caption)}</span></figcaption><svg viewBox="0 0 ${WIDTH} ${height}" role="img" aria-label="${plain(`${title}, ${caption}`)}">${content}</svg>${after}</figure>`;
