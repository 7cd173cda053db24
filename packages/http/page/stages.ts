import type { ModelView } from '../src/page/model-view.js';
import { html, table, tableRow } from './dom.js';
import { bytes, microseconds } from './numbers.js';

const HEADINGS = ['Stage', '#Row, median', '#Row, p99', '#Parameters', '#Models', 'Kernels'];

/** The panel with the plan of a version: its stages with their times. */
export function stagesPanel({ engine, stages }: ModelView): HTMLElement {
  const { element, body } = table('Stages of the plan', HEADINGS);
  stages.forEach(({ operators, nanoseconds: time, parameterBytes, plans, kernels, key, role }, index) => {
    const heading = html(
      'span',
      {},
      `${index + 1}. ${operators.join(', ')}`,
      html('span', { class: 'muted small block' }, `${role}, key ${key.slice(0, 8)}`),
    );
    const times = time === undefined ? ['–', '–'] : [microseconds(time.p50), microseconds(time.p99)];
    const row = tableRow(heading, ...times, bytes(parameterBytes), `${plans}`);
    row.append(html('td', { class: 'small' }, kernels.length === 0 ? 'JavaScript' : kernels.join(', ')));
    body.append(row);
  });
  const timed = stages.some(({ nanoseconds }) => nanoseconds !== undefined);
  const note = timed
    ? 'Times are of one row, sampled from the requests.'
    : 'Stages have no times yet. The server measures a sample of the requests.';
  return html(
    'div',
    { class: 'card wide' },
    html('h3', {}, 'Plan (EXPLAIN)'),
    html('p', { class: 'muted' }, `Engine: ${engine}. ${note} "Models" is the number of loaded plans with this stage.`),
    element,
  );
}
