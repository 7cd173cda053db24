import type { AliasStatistics } from 'brezel';
import { inPath, postJson, ResponseError } from './api.js';
import { html } from './dom.js';
import { count } from './numbers.js';

/** Whether the server allows changes of aliases, and whether the user has signed in. */
export interface Session {
  readonly hasControl: boolean;
  readonly isSignedIn: boolean;
}

/**
 * The panel with the aliases of a model: the share of a canary, promote and roll back.
 *
 * @param versions the versions of the model, as labels.
 */
export function aliasesPanel(
  aliases: readonly AliasStatistics[],
  versions: readonly string[],
  session: Session,
): HTMLElement {
  const card = html('div', { class: 'card' }, html('h3', {}, 'Aliases and canaries'));
  if (!session.hasControl)
    card.append(html('p', { class: 'muted' }, 'To change aliases here, start the server with --token-file.'));
  else if (!session.isSignedIn)
    card.append(html('p', {}, html('a', { href: 'sign-in' }, 'Sign in'), ' to change aliases.'));
  if (aliases.length === 0) card.append(html('p', { class: 'muted' }, 'The model has no alias.'));
  for (const alias of aliases)
    card.append(session.isSignedIn && versions.length > 1 ? form(alias, versions) : html('p', {}, textOf(alias)));
  return card;
}

function textOf({ alias, version, requests, canary }: AliasStatistics): string {
  const text = `${alias} points to ${version} (${count(requests)} requests)`;
  if (canary === undefined) return `${text}.`;
  return `${text}. Canary: ${canary.percent} % of the requests go to ${canary.version} (${count(canary.requests)} requests).`;
}

function form(alias: AliasStatistics, versions: readonly string[]): HTMLElement {
  const { alias: reference, version, canary } = alias;
  const id = `alias-${reference}`;
  const current = labelOf(version);
  const to = html('select', { id: `${id}-to` }, ...versions.map((label) => html('option', {}, label)));
  to.value =
    canary === undefined ? (versions.findLast((label) => label !== current) ?? current) : labelOf(canary.version);
  const share = html('input', {
    id: `${id}-percent`,
    type: 'range',
    min: 0,
    max: 100,
    step: 1,
    value: canary?.percent ?? 0,
  });
  const shown = html('output', { for: `${id}-percent` }, `${share.value} %`);
  share.addEventListener('input', () => (shown.textContent = `${share.value} %`));
  const status = html('p', { role: 'status' }, textOf(alias));
  const change = async (action: string, body: object) => {
    try {
      status.textContent = textOf(
        await postJson<AliasStatistics>(`admin/aliases/${inPath(reference)}/${action}`, body),
      );
      status.className = '';
    } catch (error) {
      status.className = 'error';
      status.textContent = error instanceof ResponseError ? error.message : 'The server does not answer.';
    }
  };
  const button = (text: string, onClick: () => void) => {
    const made = html('button', { type: 'button' }, text);
    made.addEventListener('click', onClick);
    return made;
  };
  return html(
    'fieldset',
    {},
    html('legend', {}, reference),
    status,
    html('label', { for: `${id}-to` }, 'Other version'),
    to,
    html('label', { for: `${id}-percent` }, 'Share of the requests for the other version'),
    html('div', { class: 'slider' }, share, shown),
    html(
      'div',
      { class: 'buttons' },
      button('Set canary', () => void change('canary', { to: to.value, percent: Number(share.value) })),
      button('Promote', () => void change('promote', { version: to.value })),
      button('Roll back', () => void change('rollback', {})),
    ),
  );
}

const labelOf = (version: string) => version.slice(version.lastIndexOf('@') + 1);
