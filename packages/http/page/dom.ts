type Attributes = Readonly<Record<string, string | number | boolean | undefined>>;
type Child = Node | string;

/**
 * Creates an HTML element. Children that are texts become text nodes, so that names of models are
 * never read as HTML. An attribute of `false` or undefined is omitted.
 */
export function html<Tag extends keyof HTMLElementTagNameMap>(
  tag: Tag,
  attributes: Attributes = {},
  ...children: readonly Child[]
): HTMLElementTagNameMap[Tag] {
  const element = document.createElement(tag);
  setAttributes(element, attributes);
  element.append(...children);
  return element;
}

/** Creates an SVG element, as `html` creates an HTML element. */
export function svg(tag: string, attributes: Attributes = {}, ...children: readonly Child[]): SVGElement {
  const element = document.createElementNS('http://www.w3.org/2000/svg', tag);
  setAttributes(element, attributes);
  element.append(...children);
  return element;
}

/** Returns the element of the page with an id. */
export const byId = (id: string): HTMLElement => document.getElementById(id)!;

function setAttributes(element: Element, attributes: Attributes): void {
  for (const [name, value] of Object.entries(attributes))
    if (value !== undefined && value !== false) element.setAttribute(name, value === true ? '' : `${value}`);
}

/** A table in a region that scrolls on narrow screens and with the keyboard. */
export interface Table {
  readonly element: HTMLElement;
  readonly body: HTMLTableSectionElement;
}

/** Creates a table. A heading that starts with `#` is for a column of numbers. */
export function table(label: string, headings: readonly string[]): Table {
  const body = html('tbody');
  const cells = headings.map((text) =>
    html('th', { scope: 'col', class: text.startsWith('#') && 'number' }, text.replace(/^#/, '')),
  );
  const whole = html(
    'table',
    {},
    html('caption', { class: 'hidden' }, label),
    html('thead', {}, html('tr', {}, ...cells)),
    body,
  );
  return { element: html('div', { class: 'scroll', role: 'region', 'aria-label': label, tabindex: 0 }, whole), body };
}

/** Creates a row of a table. The first cell is the heading of the row. */
export const tableRow = (heading: Child, ...numbers: readonly string[]): HTMLTableRowElement =>
  html(
    'tr',
    {},
    html('th', { scope: 'row' }, heading),
    ...numbers.map((text) => html('td', { class: 'number' }, text)),
  );
