import cluster from 'node:cluster';
import { systemClock } from '@brezel/core';
import { writeCachedFile } from '@brezel/fleet-file';
import { createRuntime, openStore } from 'brezel';
import { streams } from '../../streams.js';
import { loadServer } from '../load-server.js';
import type { ServerSecrets } from '../secrets.js';
import type { ServerAddresses, ServerPorts } from '../servers.js';
import { forkWorker } from './fork-worker.js';
import { packModels, planNamesOf } from './packer.js';
import { SharedModels } from './shared-models.js';
import { Totals } from './totals.js';
import { Workers } from './workers.js';

export interface PrimaryOptions {
  /** The number of workers. */
  readonly count: number;
  readonly ports: ServerPorts;
  readonly secrets: ServerSecrets;
  /** The longest time in milliseconds that a worker needs to end after a signal. */
  readonly closeMs: number;
  /** Adds the models of the command line. */
  addModels(models: SharedModels): Promise<void>;
  /** Called once, when all workers listen. */
  listening(addresses: ServerAddresses): Promise<void>;
  /** Returns a promise of the signal that stops the server. */
  stopSignal(): Promise<void>;
}

/**
 * Runs `brezel serve` with several processes until a signal stops it. The primary packs the models
 * into one fleet file and starts workers, which map the file. It answers no requests itself.
 */
export async function runPrimary({ count, ports, secrets, closeMs, ...options }: PrimaryOptions): Promise<void> {
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
    ports,
    secrets,
    closeMs,
    fork: forkWorker,
    methods: {
      change: (change) => models.change(change),
      statistics: () => totals.statistics(),
      metrics: () => totals.metrics(),
    },
    names: () => models.names(),
    stateOf: (name) => models.stateOf(name),
    withoutChanges: (work) => models.withoutChanges(work),
    exclusively: (work) => models.exclusively(work),
    ended: (worker) => totals.end(worker),
    clock: systemClock,
    report: (line) => void streams().stderr.write(`brezel: ${line}\n`),
  });
  const stopped = options.stopSignal();
  const packing = options.addModels(models).then(() => models.start());
  try {
    const isStopped = await Promise.race([packing.then(() => false), stopped.then(() => true)]);
    if (isStopped) return;
    const addresses = await Promise.race([workers.start(), stopped]);
    if (addresses !== undefined) await options.listening(addresses);
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
