import type { ServerStatistics } from '../src/statistics/server-statistics.js';
import { html, svg } from './dom.js';
import { bytes, percent } from './numbers.js';

/** The picture shows at most this many versions: the versions with the most parameter bytes. */
const BARS = 12;

/** Draws the memory of parameters: the part of each version, and the bytes that sharing saves. */
export function memoryPicture({ versions, parameters, processes }: ServerStatistics): HTMLElement {
  const loaded = versions.filter((version) => version.loaded).sort((a, b) => b.parameterBytes - a.parameterBytes);
  const { bytes: resident, unsharedBytes } = parameters;
  const saved = Math.max(0, unsharedBytes - resident);
  const most = Math.max(1, ...loaded.slice(0, BARS).map(({ parameterBytes }) => parameterBytes));
  const saving =
    saved === 0 ? 'no parameters are shared' : `sharing saves ${bytes(saved)} (${percent(saved / unsharedBytes)})`;
  const shares = loaded
    .slice(0, BARS)
    .map(({ version, parameterBytes, marginalBytes }) =>
      bar(version, [marginalBytes, parameterBytes - marginalBytes], most, ['only this model', 'shared']),
    );
  const others = loaded.length - shares.length;
  return html(
    'div',
    { class: 'columns' },
    html(
      'figure',
      { class: 'card' },
      html('figcaption', {}, 'All models'),
      html('p', { class: 'reading' }, `${bytes(resident)} of parameters in memory; ${saving}`),
      bar('In memory', [resident, 0], Math.max(1, unsharedBytes), ['in memory', '']),
      bar('As separate copies', [unsharedBytes, 0], Math.max(1, unsharedBytes), ['as separate copies', '']),
      html('p', { class: 'muted' }, processText(processes)),
    ),
    html(
      'figure',
      { class: 'card' },
      html('figcaption', {}, 'Each model'),
      legend(),
      ...(shares.length === 0 ? [html('p', { class: 'muted' }, 'No model is loaded.')] : shares),
      ...(others > 0 ? [html('p', { class: 'muted' }, `and ${others} smaller versions`)] : []),
    ),
  );
}

const legend = () =>
  html(
    'p',
    { class: 'muted legend' },
    html('span', { class: 'key own' }),
    'only this model',
    html('span', { class: 'key shared' }),
    'shared with other models',
  );

/** Draws one bar of two parts, with its numbers as text. */
function bar(
  name: string,
  [own, shared]: readonly [number, number],
  most: number,
  words: readonly [string, string],
): HTMLElement {
  const text = shared > 0 ? `${bytes(own)} ${words[0]}, ${bytes(shared)} ${words[1]}` : bytes(own + shared);
  const part = (from: number, size: number, style: string) =>
    svg('rect', { x: `${(from / most) * 100}%`, width: `${(size / most) * 100}%`, height: 12, class: style });
  return html(
    'div',
    { class: 'bar' },
    html('span', { class: 'name' }, name),
    html('span', { class: 'muted' }, text),
    svg('svg', { 'aria-hidden': 'true', height: 12, width: '100%' }, part(0, own, 'own'), part(own, shared, 'shared')),
  );
}

function processText(processes: ServerStatistics['processes']): string {
  const rss = processes.reduce((sum, { rssBytes }) => sum + rssBytes, 0);
  const pss = processes.reduce((sum, { pssBytes }) => sum + (pssBytes ?? Number.NaN), 0);
  const workers = processes.filter(({ role }) => role === undefined).length;
  const primary = workers < processes.length ? ' and a primary process' : '';
  const number = `${workers === 1 ? '1 process' : `${workers} processes`}${primary}`;
  const shared = Number.isNaN(pss) ? '' : ` Shared pages counted once (PSS): ${bytes(pss)}.`;
  return `${number}. Resident memory (RSS): ${bytes(rss)}.${shared}`;
}
