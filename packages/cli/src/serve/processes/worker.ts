import type { ProcessNumbers, RunningServer, ServerProcesses } from '@brezel/http';
import type { AddOptions, ModelRegistry, Runtime } from 'brezel';
import { loadServer } from '../load-server.js';
import { Peer } from './peer.js';
import type { PrimaryMethods, WorkerMethods } from './shared-state.js';
import { WorkerModels } from './worker-models.js';

export interface WorkerParts {
  readonly registry: ModelRegistry;
  readonly runtime: Runtime;
  /** How the runtime registers the models. */
  readonly options: AddOptions;
  /** Starts the server of this process. */
  listen(port: number, processes: ServerProcesses): Promise<RunningServer>;
  /** Resolves when the process receives a signal to stop. */
  readonly stopped: Promise<void>;
}

/** Runs a worker of `brezel serve --processes` until the primary or a signal stops it. */
export async function runWorker({ registry, runtime, options, listen, stopped }: WorkerParts): Promise<void> {
  const { checkUnused } = await loadServer();
  const models = new WorkerModels(registry, runtime, options);
  let server: RunningServer | undefined;
  let own: ProcessNumbers | undefined;
  let stop: () => void = () => undefined;
  const closed = new Promise<void>((resolve) => {
    stop = resolve;
  });
  const methods: { readonly [Name in keyof WorkerMethods]: WorkerMethods[Name] } = {
    start: (state) => models.replace(state),
    listen: async ({ models: state, port }) => {
      await models.replace(state);
      server = await listen(port, processes);
      return server.url;
    },
    prepare: (versions) => models.prepare(versions),
    checkUnused: (name) => checkUnused(registry, name),
    abort: async () => models.abort(),
    commit: (state) => models.commit(state),
    statistics: () => own!.statistics(),
    metrics: () => own!.metrics(),
    close: () => stop(),
  };
  const primary = new Peer<PrimaryMethods>(process as never, methods);
  const processes: ServerProcesses = {
    join: (numbers) => {
      own = numbers;
    },
    change: (change) => primary.call('change', change),
    statistics: () => primary.call('statistics'),
    metrics: () => primary.call('metrics'),
  };
  models.onRequestLoad((reference) => {
    // After an error, this worker alone has loaded the version.
    primary.call('change', { action: 'load', reference }).catch(() => undefined);
  });
  await primary.call('ready');
  await Promise.race([closed, stopped]);
  await server?.close();
  process.channel?.unref(); // the process ends, although the primary is connected
}
