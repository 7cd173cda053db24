import type { Contributions } from 'brezel';
import { inPath, postJson, ResponseError } from './api.js';
import { contributionsView } from './contributions.js';
import { html } from './dom.js';
import { type Field, fieldsOf, type Schema } from './row-fields.js';

type Row = Record<string, unknown>;

/**
 * The panel with a form for one row. It shows the answer, and what each value adds to the score.
 */
export function rowPanel(version: string, schema: Schema): HTMLElement {
  const fields = fieldsOf(schema);
  const result = html('div', { 'aria-live': 'polite' });
  const form = html(
    'form',
    { 'aria-label': `Try a row with ${version}` },
    ...fields.map(({ element }) => element),
    html('button', { type: 'submit' }, 'Answer'),
  );
  form.addEventListener('submit', (event) => {
    event.preventDefault();
    void show(result, version, fields);
  });
  return html('div', { class: 'card' }, html('h3', {}, 'Try a row'), form, result);
}

async function show(result: HTMLElement, version: string, fields: readonly Field[]): Promise<void> {
  result.replaceChildren(html('p', { class: 'muted' }, 'Waiting for the answer'));
  const parts: Node[] = [];
  try {
    const row = rowOf(fields);
    const answer = await postJson<Record<string, unknown>>(`predict/${inPath(version)}`, row);
    parts.push(html('h4', {}, 'Answer'), answerList(answer), html('h4', {}, 'Why'));
    parts.push(contributionsView(row, await postJson<Contributions>(`page/contributions/${inPath(version)}`, row)));
  } catch (error) {
    parts.push(html('p', { class: parts.length === 0 ? 'error' : 'muted' }, messageOf(error)));
  }
  result.replaceChildren(...parts);
}

function rowOf(fields: readonly Field[]): Row {
  const row: Row = {};
  for (const { name, value } of fields) {
    const found = readValue(name, value);
    if (found !== undefined) row[name] = found;
  }
  return row;
}

function readValue(name: string, value: () => unknown): unknown {
  try {
    return value();
  } catch {
    throw new ResponseError(400, `The field ${name} is not valid JSON.`);
  }
}

function answerList(answer: Readonly<Record<string, unknown>>): HTMLElement {
  const items = Object.entries(answer).flatMap(([name, value]) => [
    html('dt', {}, name),
    html('dd', {}, typeof value === 'object' ? JSON.stringify(value) : `${value}`),
  ]);
  return html('dl', { class: 'answer' }, ...items);
}

const messageOf = (error: unknown): string =>
  error instanceof ResponseError ? error.message : 'The server does not answer.';
