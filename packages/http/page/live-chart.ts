import uPlot from 'uplot';
import { html } from './dom.js';

/** A chart shows at most this many readings. After that, each new reading replaces the oldest. */
const POINTS = 150;
/** The width of the chart in seconds. */
const WINDOW_SECONDS = 300;
const HEIGHT = 180;
const DARK = matchMedia('(prefers-color-scheme: dark)');

/** The colors of lines, as names of variables in main.css. */
const COLORS = ['first', 'second', 'third', 'fourth'] as const;
/**
 * For each kind of line, the lengths of its dashes and gaps in pixels. Dashes distinguish the lines
 * without color.
 */
const DASHES: readonly (readonly number[])[] = [[], [5, 3], [2, 2], [9, 3, 2, 3]];

/** Color and dashes of one line of a chart. */
export interface LineStyle {
  readonly color: (typeof COLORS)[number];
  readonly dash: readonly number[];
}

/** Returns the style of a line. The first 16 lines of a chart have different styles. */
export function lineStyle(line: number): LineStyle {
  const round = Math.floor(line / COLORS.length);
  return { color: COLORS[line % COLORS.length]!, dash: DASHES[(line + round) % DASHES.length]! };
}

/** A line chart that grows at its right end. A text above the chart has the latest values. */
export class LiveChart {
  readonly element: HTMLElement;
  readonly #names: readonly string[];
  readonly #text = html('p', { class: 'reading' }, 'Waiting for requests');
  readonly #place: HTMLElement;
  readonly #seconds: number[] = [];
  readonly #series: (number | null)[][];
  #plot: uPlot | undefined;
  readonly #resized = new ResizeObserver(() => this.#draw(true));
  readonly #recolor = () => this.#draw(true);

  /** @param names the names of the lines. */
  constructor(title: string, names: readonly string[]) {
    this.#names = names;
    this.#series = names.map(() => []);
    this.#place = html('div', {
      role: 'img',
      'aria-label': `Line chart: ${title}. The text above has the last values.`,
    });
    this.element = html('figure', { class: 'card' }, html('figcaption', {}, title), this.#text, this.#place);
    this.#resized.observe(this.#place);
    DARK.addEventListener('change', this.#recolor);
  }

  /** Stops drawing. Call it after the chart has left the page. */
  close(): void {
    this.#resized.disconnect();
    DARK.removeEventListener('change', this.#recolor);
    this.#plot?.destroy();
  }

  /** Adds one value for each line. Undefined leaves a gap. */
  add(at: number, values: readonly (number | undefined)[], text: string): void {
    this.#text.textContent = text;
    this.#seconds.push(at / 1000);
    values.forEach((value, line) => this.#series[line]!.push(value ?? null));
    if (this.#seconds.length > POINTS) for (const list of [this.#seconds, ...this.#series]) list.shift();
    this.#draw(false);
  }

  #draw(isNew: boolean): void {
    const data = [this.#seconds, ...this.#series] as uPlot.AlignedData;
    if (this.#plot !== undefined && !isNew) return this.#plot.setData(data);
    this.#plot?.destroy();
    const width = this.#place.clientWidth;
    if (width > 0) this.#plot = new uPlot(this.#options(width), data, this.#place);
  }

  #options(width: number): uPlot.Options {
    const styles = getComputedStyle(document.documentElement);
    const color = (name: string) => styles.getPropertyValue(`--${name}`).trim();
    const axis = { stroke: color('muted'), grid: { stroke: color('line'), width: 1 }, ticks: { show: false } };
    const lines = this.#names.map((label, line) => {
      const { color: name, dash } = lineStyle(line);
      // The area below the first of many lines would cover other lines.
      const fill = line === 0 && this.#names.length <= 2 ? { fill: color('first-area') } : {};
      return { label, width: 2, stroke: color(name), dash: [...dash], ...fill };
    });
    return {
      width,
      height: HEIGHT,
      legend: { show: false },
      cursor: { show: false },
      scales: {
        x: { range: (_, __, last) => [last - WINDOW_SECONDS, last] },
        y: { range: (_, __, most) => [0, most > 0 ? most * 1.1 : 1] },
      },
      axes: [
        { ...axis, values: (_, seconds) => seconds.map(timeOfDay) },
        { ...axis, size: 56 },
      ],
      series: [{}, ...lines],
    };
  }
}

const timeOfDay = (seconds: number): string =>
  new Date(seconds * 1000).toLocaleTimeString('en-GB', { hour: '2-digit', minute: '2-digit' });
