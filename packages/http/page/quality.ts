import type { QualityStatistics } from 'brezel';
import { html, table, tableRow } from './dom.js';
import { count, percent } from './numbers.js';

const HEADINGS = ['Input', '#Values', '#Missing', '#Unknown', '#Unknown terms', '#Below', '#Above'];

/** The panel with the counters of data quality of a version. */
export function qualityPanel(quality: QualityStatistics | undefined): HTMLElement {
  const card = html('div', { class: 'card' }, html('h3', {}, 'Data quality'));
  if (quality === undefined || quality.rows === 0) {
    card.append(html('p', { class: 'muted' }, 'The server has examined no rows of this version yet.'));
    return card;
  }
  const { element, body } = table('Counters of data quality', HEADINGS);
  for (const [name, { values, missing, unknown, unknownTerms, terms, below, above }] of Object.entries(quality.inputs))
    body.append(
      tableRow(
        name,
        count(values),
        share(missing, values),
        share(unknown, values),
        share(unknownTerms, terms),
        share(below, values),
        share(above, values),
      ),
    );
  const text = `Rows examined: ${count(quality.rows)}, one of every ${quality.sampleEvery}. A dash means that the plan has no such check.`;
  card.append(html('p', { class: 'muted' }, text), element);
  return card;
}

const share = (part: number | undefined, whole: number | undefined): string =>
  part === undefined || whole === undefined || whole === 0 ? '–' : percent(part / whole);
