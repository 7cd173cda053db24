import { words } from './format.mjs';
import { groupBy } from './records.mjs';
import { barChart, lineChart } from './svg.mjs';

/** @typedef {import('./records.mjs').Point} Point */
/** @typedef {import('./records.mjs').Comparison} Comparison */

/**
 * Returns a function that assigns colors, the same in every chart: blue for Brezel, orange for the
 * rival, gray for others.
 *
 * @param {string[]} series
 * @returns {(name: string) => string}
 */
function classesOf(series) {
  const counts = { ours: 0, theirs: 0, other: 0 };
  const classes = new Map(
    series.map((name) => {
      const side = /^(onnx|ort)/i.test(name) ? 'theirs' : /^(plain|ygg|empty)/i.test(name) ? 'other' : 'ours';
      return [name, `${side}${counts[side]++ % 4}`];
    }),
  );
  return (name) => classes.get(name) ?? 'other0';
}

/** Returns whether `x` is a number with a unit. Otherwise it is a name. @param {Point} point */
const isNumeric = ({ x, xUnit }) => typeof x === 'number' && xUnit !== undefined;

/** More bars than this are drawn as one sorted line. */
const MOST_BARS = 12;

/**
 * Returns the charts of one figure: lines if x is a number, bars if x is a name.
 *
 * @param {Point[]} points
 * @returns {string[]}
 */
export function chartsOf(points) {
  const classOf = classesOf([...new Set(points.map(({ series }) => series))]);
  const [numeric, named] = [points.filter(isNumeric), points.filter((point) => !isNumeric(point))];
  const lines = [...groupBy(numeric, ({ figure, unit, xUnit = '' }) => JSON.stringify([figure, unit, xUnit])).values()];
  return [...lines.map((some) => lineChartOf(some, classOf)), ...namedCharts(named, classOf)];
}

/** @param {Point[]} points @param {(name: string) => string} classOf */
function lineChartOf(points, classOf) {
  const { figure, unit, xUnit = '' } = points[0];
  const lines = [...groupBy(points, ({ series }) => series)].map(([name, some]) => ({
    name,
    className: classOf(name),
    points: some.map(({ x, median, p99 }) => ({ x: Number(x), y: median, tail: p99 })),
  }));
  return lineChart(titleOf(figure, unit), unit, xUnit, lines);
}

/**
 * Returns the title of a chart: `latency` for `fig14-latency`, or the unit if the figure has no
 * suffix.
 *
 * @param {string} figure
 * @param {string} unit
 */
const titleOf = (figure, unit) => figure.split('-').slice(1).join(' ') || unit;

/** @param {Point[]} points @param {(name: string) => string} classOf */
function namedCharts(points, classOf) {
  return [...groupBy(points, ({ figure, unit }) => JSON.stringify([figure, unit])).values()].flatMap((some) => {
    const bySeries = groupBy(some, ({ series }) => series);
    const long = [...bySeries].filter(([, list]) => list.length > MOST_BARS);
    const others = some.filter(({ series }) => !long.some(([name]) => name === series));
    return [
      ...[...groupBy(others, ({ x }) => String(x))].map(([x, list]) => bars(x, list, classOf)),
      ...long.map(([name, list]) => sorted(name, list, classOf(name))),
    ];
  });
}

/** @param {string} x @param {Point[]} points @param {(name: string) => string} classOf */
const bars = (x, points, classOf) =>
  barChart(
    [...points[0].figure.split('-').slice(1), x].join(', '),
    points[0].unit,
    points.map(({ series, median, min, max, p99 }) => ({
      label: words(series),
      className: classOf(series),
      value: median,
      // The slowest of thousands of calls would dominate the scale.
      ...(p99 !== undefined && max !== undefined && max > 3 * p99 ? {} : { low: min, high: max }),
      tail: p99 !== median ? p99 : undefined,
    })),
  );

/**
 * Draws many values of one series, smallest first.
 *
 * @param {string} name
 * @param {Point[]} points
 * @param {string} className
 */
function sorted(name, points, className) {
  const values = points.map(({ median }) => median).sort((a, b) => a - b);
  const list = values.map((y, index) => ({ x: ((index + 1) * 100) / values.length, y }));
  return lineChart(name, points[0].unit, `% of ${values.length}, sorted`, [{ name, className, points: list }], {
    isLinear: true,
  });
}

/**
 * Draws the ratios of Brezel and of the paper.
 *
 * @param {Comparison[]} comparisons
 * @param {{ what: string, ratio: number }[]} paper
 */
export function ratioChart(comparisons, paper) {
  const ours = comparisons.map(({ what, rival, ratio, low, high }) => ({
    label: `${words(what)}, against ${rival}`,
    className: ratio < 1 ? 'worse' : 'ours0',
    value: ratio,
    low,
    high,
  }));
  const theirs = paper.map(({ what, ratio }) => ({ label: `paper: ${what}`, className: 'paper', value: ratio }));
  const all = [...ours, ...theirs];
  return all.length === 0 ? [] : [barChart('Times better than the rival', 'above 1: better', all)];
}
