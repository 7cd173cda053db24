import type { ModelView } from '../src/page/model-view.js';
import type { ServerStatistics } from '../src/statistics/server-statistics.js';
import { aliasesPanel, type Session } from './aliases.js';
import { getJson, inPath, ResponseError } from './api.js';
import { byId, html } from './dom.js';
import { qualityPanel } from './quality.js';
import { rowPanel } from './row-form.js';
import { stagesPanel } from './stages.js';

/** Shows the panels of one version. The page loads them when the user selects the version. */
export async function showVersion(version: string, statistics: ServerStatistics): Promise<void> {
  const panels = byId('model-panels');
  byId('model').hidden = false;
  const title = byId('model-title');
  title.textContent = version;
  /**
   * Returns whether the page still shows this version. The user may have selected another version
   * before the server answered.
   */
  const isCurrent = () => title.textContent === version;
  try {
    const view = getJson<ModelView>(`page/models/${inPath(version)}`);
    const [{ stages, engine, rowSchema }, session] = await Promise.all([view, getJson<Session>('page/session')]);
    if (!isCurrent()) return;
    const [name] = splitVersion(version);
    const aliases = statistics.aliases.filter(({ alias }) => alias.startsWith(`${name}:`));
    const quality = statistics.versions.find((one) => one.version === version)?.quality;
    panels.replaceChildren(
      rowPanel(version, rowSchema),
      html(
        'div',
        { class: 'stack' },
        aliasesPanel(aliases, labelsOf(name, statistics), session),
        qualityPanel(quality),
      ),
      stagesPanel({ version, engine, stages, rowSchema }),
    );
  } catch (error) {
    if (!isCurrent()) return;
    const text = error instanceof ResponseError ? error.message : 'The server does not answer.';
    panels.replaceChildren(html('p', { class: 'error' }, text));
  }
}

/** Returns the labels of the versions of a model. */
const labelsOf = (name: string, { versions }: ServerStatistics): string[] =>
  versions
    .map(({ version }) => splitVersion(version))
    .filter(([model]) => model === name)
    .map(([, label]) => label);

function splitVersion(version: string): readonly [name: string, label: string] {
  const at = version.lastIndexOf('@');
  return [version.slice(0, at), version.slice(at + 1)];
}
