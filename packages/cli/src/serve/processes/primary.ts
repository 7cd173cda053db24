import cluster from 'node:cluster';
import { setTimeout as delay } from 'node:timers/promises';
import { writeCachedFile } from '@brezel/fleet-file';
import { createRuntime, openStore } from 'brezel';
import { streams } from '../../streams.js';
import { loadServer } from '../load-server.js';
import { closeGivenConnections } from './given-connections.js';
import { packModels, planNamesOf } from './packer.js';
import { roleEnvironment } from './role.js';
import { SharedModels } from './shared-models.js';
import { Totals } from './totals.js';
import { Workers } from './workers.js';

export interface PrimaryOptions {
  /** The number of workers. */
  readonly count: number;
  readonly port: number;
  readonly drainMs: number;
  /** Adds the models of the command line. */
  addModels(models: SharedModels): Promise<void>;
  /** Called once, when all workers listen. */
  listening(url: string): Promise<void>;
  /** Returns a promise of the signal that stops the server. */
  stopSignal(): Promise<void>;
}

/**
 * Runs `brezel serve` with several processes until a signal stops it. The primary packs the models
 * into one fleet file and starts workers, which map the file. It answers no requests itself.
 */
export async function runPrimary({ count, port, drainMs, ...options }: PrimaryOptions): Promise<void> {
  const http = await loadServer();
  // The primary loads no plans, so it needs no addon.
  await using runtime = createRuntime({ store: await openStore({ native: false }), native: false });
  const stopping = new AbortController();
  const models: SharedModels = new SharedModels({
    runtime,
    pack: (job) => packModels(job, stopping.signal),
    planNames: (path) => planNamesOf(path, stopping.signal),
    writeFile: writeCachedFile,
    workers: () => workers.ready,
  });
  const totals: Totals = new Totals(http, () => workers.running);
  cluster.setupPrimary({ serialization: 'advanced' });
  const workers = new Workers({
    count,
    port,
    drainMs,
    fork: () => {
      const worker = cluster.fork(roleEnvironment('worker'));
      // Messages to a worker that has ended fail. The exit of the process reports its end.
      worker.on('error', () => undefined);
      closeGivenConnections(worker.process);
      return worker.process;
    },
    methods: {
      change: (change) => models.change(change),
      statistics: () => totals.statistics(),
      metrics: () => totals.metrics(),
    },
    models: () => models.state(),
    exclusively: (work) => models.exclusively(work),
    ended: (worker) => totals.end(worker),
    wait: (milliseconds, signal) => delay(milliseconds, undefined, { signal }).catch(() => undefined),
    report: (line) => void streams().stderr.write(`brezel: ${line}\n`),
  });
  const stopped = options.stopSignal();
  const packing = options.addModels(models).then(() => models.start());
  try {
    const isStopped = await Promise.race([packing.then(() => false), stopped.then(() => true)]);
    if (isStopped) return;
    const url = await Promise.race([workers.start(), stopped]);
    if (url !== undefined) await options.listening(url);
    await Promise.race([stopped, workers.failed]);
  } finally {
    models.removeAllListeners('file'); // the end of a packer is not an error of the file
    stopping.abort();
    await packing.catch(() => undefined); // the race has reported the error
    await models.stopWatching();
    await workers.close();
    await models.close();
  }
}
