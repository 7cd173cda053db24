import type { ServedVersion, ServerStatistics } from '../src/statistics/server-statistics.js';
import { percentileMs, timesSince } from '../src/statistics/time-window.js';
import { html, table } from './dom.js';
import { bytes, count, digits, milliseconds } from './numbers.js';

const HEADINGS = ['Version', 'State', '#Requests', '#per second', '#Median ms', '#p99 ms', '#Failures', '#Parameters'];

interface Line {
  readonly element: HTMLTableRowElement;
  readonly button: HTMLButtonElement;
  readonly cells: readonly HTMLTableCellElement[];
}

/**
 * The table of versions. Its rows stay the same elements, so that updates do not move the focus.
 */
export class Versions {
  readonly #body: HTMLTableSectionElement;
  readonly #lines = new Map<string, Line>();
  readonly #onSelect: (version: string) => void;
  #before = new Map<string, ServedVersion>();
  #at = 0;

  constructor(place: HTMLElement, onSelect: (version: string) => void) {
    const { element, body } = table('Versions of models', HEADINGS);
    this.#body = body;
    this.#onSelect = onSelect;
    place.append(element);
  }

  /** Marks the version whose details the page shows. */
  select(selected: string): void {
    for (const [version, { button }] of this.#lines) button.setAttribute('aria-pressed', `${version === selected}`);
  }

  /** @param at the time of the reading, in milliseconds. */
  update({ versions, aliases }: ServerStatistics, at: number): void {
    const seconds = (at - this.#at) / 1000;
    const names = new Set(versions.map(({ version }) => version));
    for (const [version, { element }] of this.#lines)
      if (!names.has(version)) {
        element.remove();
        this.#lines.delete(version);
      }
    for (const version of versions) {
      const line = this.#lines.get(version.version) ?? this.#added(version.version);
      const times = timesSince(version.times, this.#before.get(version.version)?.times);
      const rate = this.#before.has(version.version) ? digits(times.count / seconds) : '–';
      const names = aliases
        .filter((alias) => alias.version === version.version)
        .map(({ alias }) => alias.split(':')[1]);
      const state = names.length === 0 ? version.state : `${version.state} (${names.join(', ')})`;
      const texts = [
        state,
        count(version.requests),
        rate,
        milliseconds(percentileMs(version.times, 0.5)),
        milliseconds(percentileMs(version.times, 0.99)),
        count(version.failures),
        bytes(version.parameterBytes),
      ];
      line.cells.forEach((cell, index) => {
        if (cell.textContent !== texts[index]) cell.textContent = texts[index]!;
      });
    }
    this.#before = new Map(versions.map((version) => [version.version, version]));
    this.#at = at;
  }

  #added(version: string): Line {
    const button = html('button', { type: 'button', class: 'link', 'aria-pressed': 'false' }, version);
    button.addEventListener('click', () => this.#onSelect(version));
    const cells = HEADINGS.slice(1).map((heading) => html('td', { class: heading.startsWith('#') && 'number' }));
    const element = html('tr', {}, html('th', { scope: 'row' }, button), ...cells);
    this.#body.append(element);
    const line = { element, button, cells };
    this.#lines.set(version, line);
    return line;
  }
}
