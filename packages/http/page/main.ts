import type { ServerStatistics } from '../src/statistics/server-statistics.js';
import { getJson, ResponseError } from './api.js';
import { byId } from './dom.js';
import { memoryPicture } from './memory.js';
import { showVersion } from './model-panels.js';
import { Selections } from './selections.js';
import { Traffic } from './traffic.js';
import { Versions } from './versions.js';

/** The interval at which the page reads the statistics of the server, in milliseconds. */
const PERIOD_MS = 2000;
const UNAUTHORIZED = 401;

const traffic = new Traffic(byId('traffic'));
const selections = new Selections(byId('selections-section'), byId('selections'));
const versions = new Versions(byId('versions'), (version) => {
  versions.select(version);
  void showVersion(version, latest!).then(() => byId('model-title').focus());
});
let latest: ServerStatistics | undefined;

async function update(): Promise<void> {
  const statistics = await getJson<ServerStatistics>('page/statistics');
  const isFirst = latest === undefined;
  latest = statistics;
  const at = Date.now();
  traffic.update(statistics, at);
  selections.update(statistics.selections, at);
  versions.update(statistics, at);
  byId('memory').replaceChildren(memoryPicture(statistics));
  const loaded = statistics.versions.filter((version) => version.loaded);
  byId('server').textContent =
    `Version ${statistics.version}, ${loaded.length} of ${statistics.versions.length} versions loaded`;
  if (isFirst && loaded.length > 0) {
    const { version } = loaded[0]!;
    versions.select(version);
    await showVersion(version, statistics);
  }
}

/** Reads the statistics until the page closes. A hidden page reads nothing. */
async function poll(): Promise<void> {
  if (!document.hidden) {
    try {
      await update();
      byId('connection').textContent = '';
    } catch (error) {
      if (error instanceof ResponseError && error.status === UNAUTHORIZED) return location.reload();
      byId('connection').textContent = 'The server does not answer. The page tries again.';
    }
  }
  setTimeout(poll, PERIOD_MS);
}

void poll();
