import { machineLine } from '../harness/machine.mjs';
import { cell, number, times, wrapped } from './format.mjs';
import { groupBy } from './records.mjs';

// Writes the tables of docs/clipper.md from the records of the experiment `clipper`.

/** @typedef {import('./records.mjs').Point} Point */
/** @typedef {import('./records.mjs').Comparison} Comparison */
/** @typedef {(point: Point) => string} Write writes a point for a cell of a table */

const median = (/** @type {Point} */ { median: value }) => number(value);
const both = (/** @type {Point} */ { median: value, p99 }) => `${number(value)} (${number(p99 ?? Number.NaN)})`;
const percentOf = (/** @type {number} */ value) => `${(100 * value).toFixed(1)} %`;
const percent = (/** @type {Point} */ { median: value }) => percentOf(value);

/**
 * Writes the generated part of docs/clipper.md.
 *
 * @param {{ machines: readonly any[], points: readonly Point[], comparisons: readonly
 * Comparison[] }} records
 */
export function clipperPage({ machines, points, comparisons }) {
  const of = (/** @type {string} */ figure) => points.filter((point) => point.figure === figure);
  const isSmall = machines.some(({ quick, scale = 1 }) => quick || scale < 1);
  return [
    ...(isSmall ? ['**A smoke run: the numbers mean nothing.**', ''] : []),
    '<img src="clipper.svg" width="860" alt="Figures 3, 4, 5, 8, 9 and 10 of the Clipper paper, measured with Brezel">',
    '',
    ...(of('clipper4').length > 0 ? batchingSections(of, comparisons) : []),
    ...(of('clipper8').length > 0 ? selectionSections(of) : []),
    ...(of('clippercost').length > 0 ? stragglerSections(of) : []),
    '## Machine',
    '',
    ...machines.map((machine) => wrapped(`${machineLine(machine)}.`)),
    '',
    'Load average of the machine when a part of the experiment started and ended, in processes:',
    '',
    ...table(of('clipperload'), 'part', (point) => point.median.toFixed(1), { rows: 'series', columns: 'x' }),
  ].join('\n');
}

/** @typedef {(figure: string) => Point[]} PointsOf */

/**
 * @param {PointsOf} of
 * @param {readonly Comparison[]} comparisons
 */
function batchingSections(of, comparisons) {
  const fitting = (/** @type {string} */ name) =>
    of('clipper3-rows').find(({ series }) => series === name)?.median ?? Number.NaN;
  const rate = (/** @type {string} */ name) =>
    Math.max(
      ...of('clipper4-cpu')
        .filter(({ x }) => x === name)
        .map(({ median: value }) => value),
    );
  const [linear, kernel] = ['linear-svm', 'kernel-svm'];
  const alone =
    of('clipper4-cpu').find(({ x, series }) => x === linear && series === 'one at a time')?.median ?? Number.NaN;
  const latencies = of('clipper4-latency').filter(({ series }) => series !== 'one at a time');
  const met = latencies.filter(({ p99 = Number.NaN }) => p99 <= 20).length;
  const microseconds = (/** @type {number} */ perSecond) => `${number(1e6 / perSecond)} µs`;
  return [
    '## Figure 3: latency of a request by its rows',
    '',
    wrapped(
      `In the paper, the largest batches that meet an objective of 20 ms differ by 241x between a linear and a kernel SVM of scikit-learn. The linear SVM answers nearly 30,000 requests per second, and the kernel SVM 200. Here, the batches differ by ${times(fitting(linear) / fitting(kernel))}, and the two models answer up to ${number(rate(linear))} and ${number(rate(kernel))} rows per second of CPU time. The paper uses images of 784 pixels; the digits here have 64 pixels.`,
    ),
    '',
    'Median latency in ms (p99 in parentheses) by the number of rows of a request:',
    '',
    ...table(of('clipper3'), 'rows', both),
    '',
    'Rows that fit into a request of 20 ms, by a line through the smallest latencies:',
    '',
    ...table(of('clipper3-rows'), '', median),
    '',
    '## Figure 4: controllers of adaptive batching',
    '',
    wrapped(
      `In the paper, adaptive batching answers up to 26x as many requests per second as one request at a time (the linear SVM), and AIMD and quantile regression are nearly equal. Here, the largest ratio of AIMD is ${times(best(comparisons, 'aimd'))}, of quantile regression ${times(best(comparisons, 'quantile'))}, and of a fixed batch that was found by hand ${times(best(comparisons, 'by hand'))}. A request with one row takes ${microseconds(alone)} of CPU time in the container of the linear SVM, and a row of a large request ${microseconds(rate(linear))}. Without a model (no-op), a row of a large request takes ${microseconds(rate('no-op'))}: the container reads rows as JSON, which limits the ratio.`,
    ),
    '',
    wrapped(
      'All callers wait for an answer before they send the next row, and there are more callers than rows in a batch. The ways to batch alternate in blocks of 0.4 s of CPU time. `greedy` has the same largest batch as the batch by hand.',
    ),
    '',
    'Rows per second of CPU time of the container. This is the rate on a machine where the client has another core:',
    '',
    ...table(of('clipper4-cpu'), 'model', median),
    '',
    wrapped(
      `Median latency of an HTTP request to the container in ms (p99 in parentheses). The controllers aim at 20 ms. ${met} of ${latencies.length} cells with a batch meet this objective at the p99. The latency also contains the work of the client for hundreds of callers, which wait for the same answer.`,
    ),
    '',
    ...table(of('clipper4-latency'), 'model', both),
    '',
    'Rows of the next request at the end:',
    '',
    ...table(of('clipper4-batch'), 'model', median),
    '',
    'Ratios of rows per second of CPU time of the container. The middle half of the ratios of neighboring blocks is in parentheses:',
    '',
    ...ratioTable(comparisons.filter(({ figure }) => figure === 'clipper4-cpu')),
    '',
    wrapped(
      'The latency of a caller also contains the time in which its row waits for the request before it. The next tables show a linear SVM with different numbers of callers: requests per second, and the p99 of the latency at the caller in ms.',
    ),
    '',
    ...table(of('clipper4-callers'), 'callers', median),
    '',
    ...table(of('clipper4-callers p99'), 'callers', median),
    '',
    'The greatest number of requests per second, compared with one request at a time:',
    '',
    '| measurement | requests per second | one at a time | ratio |',
    '|---|--:|--:|--:|',
    ...comparisons
      .filter(({ figure }) => figure === 'clipper4-callers')
      .map(({ what, ours, theirs, ratio }) => `| ${what} | ${number(ours)} | ${number(theirs)} | ${times(ratio)} |`),
    '',
    '## Figure 5: delayed batching',
    '',
    wrapped(
      'In the paper, a delay of 2 ms increases the throughput of a linear SVM of scikit-learn 3.3x, and does not increase the throughput of a Spark SVM, which handles small batches well. Here, rows arrive as a Poisson process, at half of the rate that the container answers one at a time. The table shows how many rows a container answers per second of its CPU time. While other processes use the cores, rows also gather without a delay, so the load of the machine (see below) hides a part of the effect.',
    ),
    '',
    ...table(of('clipper5'), 'ms that rows wait', median),
    '',
    'Rows per request:',
    '',
    ...table(of('clipper5-rows'), 'ms that rows wait', median),
    '',
    'Median latency at the caller in ms (p99 in parentheses):',
    '',
    ...table(of('clipper5-latency'), 'ms that rows wait', both),
    '',
  ];
}

/**
 * Returns the largest ratio of a controller to one request at a time.
 *
 * @param {readonly Comparison[]} comparisons
 * @param {string} strategy
 */
const best = (comparisons, strategy) =>
  Math.max(
    ...comparisons
      .filter(
        ({ figure, rival, what }) =>
          figure === 'clipper4-cpu' && rival === 'one at a time' && what.endsWith(`, ${strategy}`),
      )
      .map(({ ratio }) => ratio),
  );

/** @param {PointsOf} of */
function selectionSections(of) {
  const curve = of('clipper8');
  const end = Math.max(...curve.map(({ x }) => Number(x)));
  const ends = curve.filter(({ x }) => x === end);
  const errorOf = (/** @type {string} */ name) => ends.find(({ series }) => series === name)?.median ?? Number.NaN;
  const models = ends.filter(({ series }) => !series.startsWith('exp'));
  const fixed = models.toSorted((one, other) => one.median - other.median)[0];
  const alone = of('clipper7').filter(({ series, x }) => x === 'errors per query' && !/agree|ensemble/.test(series));
  const group = (/** @type {string} */ series, /** @type {string} */ x) =>
    of('clipper7').find((point) => point.series === series && point.x === x)?.median ?? Number.NaN;
  const least = Math.min(...alone.map(({ median: value }) => value));
  const ensemble = group('ensemble, exp4', 'errors per query');
  return [
    '## Figure 7: ensembles and confidence',
    '',
    wrapped(
      `In the paper, an ensemble of five networks has 5.2 % fewer errors on ImageNet than the best network, and queries on which four or five models agree have far fewer errors. Here, the best model has an error of ${percentOf(least)}, and the ensemble of ${percentOf(ensemble)}; the five models differ more than in the paper, so Exp4 gives nearly all weight to the best one. If all five models agree, the error is ${percentOf(group('5 agree', 'errors per query'))}, for ${percentOf(group('5 agree', 'share of queries'))} of the queries.`,
    ),
    '',
    ...table(of('clipper7'), 'answer', percent, { rows: 'series', columns: 'x' }),
    '',
    '## Figure 8: a model that fails and recovers',
    '',
    wrapped(
      `In the paper, the best of five models fails after 5,000 of 20,000 queries and recovers after 10,000 queries. Exp3 and Exp4 have fewer errors than each model alone; the paper has a picture and no numbers. Here, the failing model reads its pixels in reverse order. After ${end.toLocaleString('en-US')} queries, Exp4 has an error of ${number(errorOf('exp4'))} and Exp3 of ${number(errorOf('exp3'))}; the best model alone (${fixed?.series}) has ${number(fixed?.median ?? Number.NaN)}.`,
    ),
    '',
    'Cumulative errors per query:',
    '',
    ...table(
      curve.filter(({ x }) => Number(x) % (end / 8) === 0),
      'queries',
      (point) => point.median.toFixed(3),
    ),
    '',
    wrapped(
      'The defaults of `eta` are chosen by the next table: errors per query at the end of Figure 8. Exp3 draws at random, so the table shows the median of five seeds (smallest to largest in parentheses).',
    ),
    '',
    ...table(of('clipper8-eta'), 'eta', ({ median: value, min, max }) =>
      min === max || min === undefined || max === undefined
        ? value.toFixed(4)
        : `${value.toFixed(4)} (${min.toFixed(4)}-${max.toFixed(4)})`,
    ),
    '',
    '## Figure 10: a state for each user',
    '',
    wrapped(
      'In the paper, models of dialects recognize speech better than one model for all dialects, and a selection with a state for each user becomes better than the model of the dialect that the user reports; the paper has a picture and no numbers. Here, 120 users write digits in four ways: turned by 0, 90, 180 or 270 degrees. Each way has a model. The rows of the table are queries of a user after at least so many feedbacks.',
    ),
    '',
    ...table(of('clipper10'), 'feedbacks', (point) => point.median.toFixed(3)),
    '',
  ];
}

/** @param {PointsOf} of */
function stragglerSections(of) {
  return [
    '## Figure 9: stragglers',
    '',
    wrapped(
      'In the paper, the p99 of an ensemble of random forests grows far beyond 20 ms with the number of models. With a deadline, most answers still arrive, and the accuracy hardly decreases; the paper has pictures and no numbers. Here, each random forest runs in a container, and queries arrive as a Poisson process. While other processes use the cores (see the load below), a container waits for a core, and its answer is late more often.',
    ),
    '',
    'Median latency in ms (p99 in parentheses), by the number of models:',
    '',
    ...table(of('clipper9-latency'), 'models', both),
    '',
    'Answers that did not arrive in time, in %:',
    '',
    ...table(of('clipper9-missing'), 'models', median),
    '',
    'Errors per query:',
    '',
    ...table(of('clipper9-errors'), 'models', (point) => point.median.toFixed(3)),
    '',
    '## Cost of a selection',
    '',
    wrapped(
      'Two forests run in Brezel and answer in microseconds. The table shows the time that a selection over these plans adds to a request, in µs beyond the predictions. The goal for `predict` is at most 5 µs.',
    ),
    '',
    ...table(of('clippercost'), 'policy', median, { rows: 'series', columns: 'x' }),
    '',
  ];
}

/**
 * Writes a Markdown table of points. By default, it has a row for each x and a column for each
 * series.
 *
 * @param {readonly Point[]} points
 * @param {string} heading of the first column
 * @param {Write} write
 * @param {{ rows: 'x' | 'series', columns: 'x' | 'series' }} [axes]
 */
function table(points, heading, write, { rows, columns } = { rows: 'x', columns: 'series' }) {
  if (points.length === 0) return ['Not measured in these records.'];
  const names = [...new Set(points.map((point) => point[columns]))];
  const lines = [...groupBy(points, (point) => String(point[rows]))].map(([, list]) => {
    const cells = names
      .map((name) => list.find((point) => point[columns] === name))
      .map((point) => (point ? write(point) : ''));
    const first = list[0][rows];
    return `| ${typeof first === 'number' ? first.toLocaleString('en-US') : cell(first)} | ${cells.join(' | ')} |`;
  });
  return [`| ${heading} | ${names.map(cell).join(' | ')} |`, `|---|${names.map(() => '--:|').join('')}`, ...lines];
}

/** @param {readonly Comparison[]} comparisons */
function ratioTable(comparisons) {
  const write = ({ ratio, low, high }) =>
    low === undefined || high === undefined ? times(ratio) : `${times(ratio)} (${number(low)}-${number(high)})`;
  const rivals = [...new Set(comparisons.map(({ rival }) => rival))];
  const lines = [...groupBy(comparisons, ({ what }) => what)].map(([what, list]) => {
    const cells = rivals.map((rival) => list.find((one) => one.rival === rival)).map((one) => (one ? write(one) : ''));
    return `| ${cell(what)} | ${cells.join(' | ')} |`;
  });
  return [
    `| model and controller | ${rivals.map((rival) => `against ${rival}`).join(' | ')} |`,
    `|---|${rivals.map(() => '--:|').join('')}`,
    ...lines,
  ];
}
