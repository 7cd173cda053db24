import { cliError } from '../../errors.js';
import { isLost } from './peer.js';
import type { ModelState, VersionState } from './shared-state.js';
import type { WorkerLink } from './worker-link.js';

/** The functions of a worker link that a change of models uses. */
export type ChangedWorker = Pick<WorkerLink, 'step' | 'lose'>;

/**
 * The steps of a change in all workers. First, every worker prepares the change. If all workers can
 * make the change, `commit` sends the new state of the model to them. Otherwise, `abort` releases
 * the versions that the workers have loaded for the change.
 */
export class WorkerSteps {
  readonly #workers: () => readonly ChangedWorker[];

  /** @param workers returns the workers that listen */
  constructor(workers: () => readonly ChangedWorker[]) {
    this.#workers = workers;
  }

  /** Loads versions in every worker. After an error, no worker has loaded them. */
  async prepare(versions: readonly VersionState[]): Promise<void> {
    if (versions.length === 0) return;
    try {
      await this.#inAllWorkers('prepare', versions);
    } catch (error) {
      await this.abort();
      throw error;
    }
  }

  /**
   * Checks that no worker uses a version of the model.
   *
   * @throws the error of the first worker that uses one; ERR_CLI_WORKER if no worker is left.
   */
  async checkUnused(name: string): Promise<void> {
    await this.#inAllWorkers('checkUnused', name);
  }

  /** Releases the versions that `prepare` has loaded, in every worker. */
  async abort(): Promise<void> {
    await Promise.allSettled(this.#workers().map((worker) => worker.step('abort')));
  }

  /** Sends the new state of a model to all workers. A worker whose `commit` fails is replaced. */
  async commit(state: ModelState): Promise<void> {
    const follow = async (worker: ChangedWorker) => {
      await worker.step('commit', state).catch((error) => worker.lose(error));
    };
    await Promise.all(this.#workers().map(follow));
  }

  /**
   * Calls a function of all workers, as a part of a change. The end of a worker during the call is
   * not an error, because the replacement of the worker starts with the state after the change.
   *
   * @throws the error of the first worker that fails; ERR_CLI_WORKER if no worker is left.
   */
  async #inAllWorkers(method: 'prepare' | 'checkUnused', argument: string | readonly VersionState[]): Promise<void> {
    const workers = this.#workers();
    const results = await Promise.allSettled(workers.map((worker) => worker.step(method, argument as never)));
    const errors = results.flatMap((result) => (result.status === 'rejected' ? [result.reason] : []));
    const error = errors.find((one) => !isLost(one));
    if (error !== undefined) throw error;
    if (errors.length === workers.length) throw cliError('ERR_CLI_WORKER', { received: 'no worker to change' });
  }
}
