import type { ServedCandidate, ServedSelection } from '../src/selections/selection-statistics.js';
import { html, svg, table, tableRow } from './dom.js';
import { LiveChart, lineStyle } from './live-chart.js';
import { count, digits, percent } from './numbers.js';

const HEADINGS = ['Candidate', '#Weight', '#Share of rows', '#Mean loss', '#Late', '#Failures'];

/** The panels of the selections: a chart and a table for each selection. */
export class Selections {
  readonly #section: HTMLElement;
  readonly #place: HTMLElement;
  readonly #panels = new Map<string, SelectionPanel>();

  /** @param section the section of the page. It is hidden if the server has no selections. */
  constructor(section: HTMLElement, place: HTMLElement) {
    this.#section = section;
    this.#place = place;
  }

  /** @param at the time of the reading, in milliseconds. */
  update(selections: readonly ServedSelection[] = [], at: number): void {
    this.#section.hidden = selections.length === 0;
    for (const selection of selections) {
      const known = this.#panels.get(selection.name);
      const panel = known?.fits(selection) ? known : new SelectionPanel(selection);
      if (panel !== known) {
        if (known === undefined) this.#place.append(panel.element);
        else known.replaceWith(panel);
        this.#panels.set(selection.name, panel);
      }
      panel.update(selection, at);
    }
  }
}

/** The chart and the table of one selection, for a fixed list of candidates. */
class SelectionPanel {
  readonly element: HTMLElement;
  /** The names of the candidates, as JSON. */
  readonly #key: string;
  readonly #showsWeights: boolean;
  readonly #chart: LiveChart;
  readonly #body: HTMLTableSectionElement;

  constructor(selection: ServedSelection) {
    const { name, candidates } = selection;
    this.#key = keyOf(selection);
    this.#showsWeights = hasWeights(selection);
    const values = this.#showsWeights ? 'weight of each candidate' : 'share of the rows for each candidate';
    this.#chart = new LiveChart(
      `${name}: ${values}`,
      candidates.map((candidate) => candidate.name),
    );
    const { element, body } = table(`Candidates of ${name}`, HEADINGS);
    this.#body = body;
    this.element = html('div', { class: 'columns' }, this.#chart.element, html('div', { class: 'card' }, element));
  }

  /**
   * Returns whether the panel can show this selection. A new panel is necessary if candidates were
   * added, or if the policy has weights only since the last reading. The chart then needs other
   * lines. A reading without weights fits a chart of weights, because the store may have failed.
   * The chart then has a gap.
   */
  fits(selection: ServedSelection): boolean {
    return keyOf(selection) === this.#key && (this.#showsWeights || !hasWeights(selection));
  }

  /** Replaces this panel on the page. */
  replaceWith(panel: SelectionPanel): void {
    this.element.replaceWith(panel.element);
    this.#chart.close();
  }

  update(selection: ServedSelection, at: number): void {
    const { requests, answered, fallbacks, confidence, loss, regret, feedback, candidates } = selection;
    const texts = [
      `${count(requests)} rows`,
      `${percent(answered === 0 ? 0 : fallbacks / answered)} fallbacks`,
      `mean confidence ${digits(confidence)}`,
      `${count(feedback)} feedback`,
      `mean loss ${digits(loss)}`,
      `regret ${digits(regret)}`,
    ];
    const values = candidates.map(({ weight, share }) => (this.#showsWeights ? weight : share));
    this.#chart.add(at, values, texts.join(', '));
    this.#body.replaceChildren(...candidates.map(lineOf));
  }
}

const hasWeights = ({ candidates }: ServedSelection): boolean => candidates.some(({ weight }) => weight !== undefined);

const keyOf = (selection: ServedSelection): string => JSON.stringify(selection.candidates.map(({ name }) => name));

function lineOf({ name, weight, share, loss, late, failed }: ServedCandidate, index: number): HTMLTableRowElement {
  const { color, dash } = lineStyle(index);
  const line = svg('line', { x1: 0, x2: 24, y1: 5, y2: 5, 'stroke-width': 2, 'stroke-dasharray': dash.join(' ') });
  const key = svg('svg', { class: `line ${color}`, width: 24, height: 10, 'aria-hidden': 'true' }, line);
  return tableRow(
    html('span', {}, key, ` ${name}`),
    weight === undefined ? '–' : digits(weight),
    percent(share),
    digits(loss),
    count(late),
    count(failed),
  );
}
