import type { ProcessNumbers, ServerProcesses } from '@brezel/http';
import type { AddOptions, ModelRegistry, Runtime } from 'brezel';
import { loadServer } from '../load-server.js';
import type { ServerSecrets } from '../secrets.js';
import type { RunningServers, ServerPorts } from '../servers.js';
import { lostPeer, Peer, sentError } from './peer.js';
import type { PrimaryMethods, WorkerMethods } from './shared-state.js';
import { WorkerModels } from './worker-models.js';

export interface WorkerParts {
  readonly registry: ModelRegistry;
  readonly runtime: Runtime;
  /** How the runtime registers the models. */
  readonly options: AddOptions;
  /** Whether to read the fleet files of the models into memory. */
  readonly prefault: boolean;
  /** Starts the servers of this process. */
  listen(ports: ServerPorts, secrets: ServerSecrets, processes: ServerProcesses): Promise<RunningServers>;
  /** Resolves when the process receives a signal to stop. */
  readonly stopped: Promise<void>;
}

/** Runs a worker of `brezel serve --processes` until the primary or a signal stops it. */
export async function runWorker({ registry, runtime, options, prefault, listen, stopped }: WorkerParts): Promise<void> {
  const { checkUnused } = await loadServer();
  const models = new WorkerModels(registry, runtime, { register: options, prefault });
  let servers: Promise<RunningServers> | undefined;
  let own: ProcessNumbers | undefined;
  let isStopping = false;
  let stop: () => void = () => undefined;
  const closed = new Promise<void>((resolve) => {
    stop = resolve;
  });
  const methods: { readonly [Name in keyof WorkerMethods]: WorkerMethods[Name] } = {
    listen: async ({ models: state, ports, secrets }) => {
      servers = models.replace(state).then(() => {
        if (isStopping) throw lostPeer();
        return listen(ports, secrets, processes);
      });
      return (await servers).addresses;
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
    // If the change fails, only this worker has loaded the version.
    primary.call('change', { action: 'load', reference }).catch(() => undefined);
  });
  await primary.call('ready');
  await Promise.race([closed, stopped]);
  isStopping = true;
  // The primary may stop a worker while `listen` runs. If `listen` fails, the primary receives its
  // error.
  const running = await servers?.catch(() => undefined);
  await running?.close();
}

/**
 * Reports to the primary why this worker failed. The primary then kills the worker.
 *
 * @throws ERR_CLI_WORKER if the primary has ended.
 */
export function reportFailure(error: unknown): Promise<void> {
  const primary = new Peer<PrimaryMethods>(process as never, {});
  process.once('disconnect', () => primary.end(lostPeer(error)));
  return primary.call('failed', sentError(error));
}
