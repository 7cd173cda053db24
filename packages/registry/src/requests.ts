import type { CallOptions, RegisteredPlan, Runtime } from '@brezel/runtime';
import { isPlanFailure } from '@brezel/runtime';
import { registryError } from './errors.js';
import type { RegistryTell } from './events.js';
import { Loader } from './loader.js';
import { RequestDeadline } from './request-deadline.js';
import type { Version } from './version.js';

export interface RequestsParts {
  readonly runtime: Runtime;
  readonly budgetBytes: number;
  readonly loadTimeoutMs: number;
  readonly warm: boolean;
  readonly importsAtOnce: number;
  readonly restMs: number;
  readonly tell: RegistryTell;
}

/** The runtime throws errors with these codes if a plan is unregistered while it runs a request. */
const TAKEN_AWAY: ReadonlySet<unknown> = new Set(['ERR_RUNTIME_UNKNOWN_PLAN', 'ERR_RUNTIME_CLOSED']);

/** Runs a request on the plan of its version. */
type Run<T> = (plan: RegisteredPlan, rest: CallOptions | undefined) => Promise<T>;

/** Runs requests on versions: loads plans on demand, and counts requests and failures. */
export class Requests {
  readonly loader: Loader;
  readonly #parts: RequestsParts;
  #uses = 0;

  constructor(parts: RequestsParts) {
    this.#parts = parts;
    this.loader = new Loader({
      ...parts,
      onLoaded: (version, milliseconds) => this.#onLoaded(version, milliseconds),
      onUnloaded: (version, reason) => parts.tell('unloaded', { version: version.reference, reason }),
      onFailed: (version, error) => this.#onFailed(version, error),
    });
  }

  /**
   * Counts a new request on a version. When the request ends, the caller must call
   * `version.leave()`.
   * @throws ERR_REGISTRY_REMOVED, ERR_REGISTRY_QUARANTINED
   */
  enter(version: Version): void {
    if (version.isLeaving) throw registryError('ERR_REGISTRY_REMOVED', { at: version.reference });
    if (!version.quarantine.admits()) throw this.#resting(version);
    version.inFlight++;
    version.lastUse = ++this.#uses;
  }

  /**
   * Loads the version if it is not loaded, then runs a request on it.
   * @param options deadline and signal of the request; `run` receives the remaining limits.
   */
  async serve<T>(version: Version, options: CallOptions, run: Run<T>): Promise<T> {
    const deadline = RequestDeadline.of(version.reference, options, this.#parts.runtime.clock);
    this.enter(version);
    version.requests++;
    try {
      const found = this.planOf(version, deadline);
      // no `await` for a loaded plan: the rows are copied before the caller continues
      const plan = found instanceof Promise ? await found : found;
      const answer = await this.#run(version, plan, deadline, run);
      this.succeeded(version);
      return answer;
    } finally {
      version.leave();
    }
  }

  /**
   * Returns the plan of an entered version. Loads the version if it is not loaded, or if it is the
   * first request after a quarantine.
   */
  planOf(version: Version, deadline: RequestDeadline | undefined): RegisteredPlan | Promise<RegisteredPlan> {
    if (version.quarantine.isResting) this.#loadAnew(version);
    return version.plan ?? this.#loaded(version, deadline);
  }

  /** Loads the version. The deadline and the signal limit the wait, not the load. */
  async load(version: Version, options: CallOptions = {}): Promise<RegisteredPlan> {
    const deadline = RequestDeadline.of(version.reference, options, this.#parts.runtime.clock);
    this.enter(version);
    try {
      const load = this.loader.load(version);
      return await (deadline === undefined ? load : deadline.wait(load));
    } finally {
      version.quarantine.leave(); // the load succeeded, but only an answer ends a quarantine
      version.leave();
    }
  }

  /**
   * Loads the version if it is not loaded, then runs a function on its plan. The call is not
   * counted as a request, and its errors do not start a quarantine.
   */
  async examine<T>(version: Version, examine: (plan: RegisteredPlan) => T): Promise<T> {
    this.enter(version);
    try {
      return examine(version.plan ?? (await this.loader.load(version)));
    } finally {
      version.quarantine.leave();
      version.leave();
    }
  }

  succeeded(version: Version): void {
    if (version.quarantine.succeeded()) this.#parts.tell('released', { version: version.reference });
  }

  /** Counts a failed prediction, and returns the error that the caller receives. */
  failureOf(version: Version, error: unknown): unknown {
    if (this.wasTakenAway(version, error))
      return registryError('ERR_REGISTRY_REMOVED', { at: version.reference, cause: error });
    if (isPlanFailure(error)) this.#onFailed(version, error);
    else version.quarantine.leave();
    return error;
  }

  /** Returns whether a request failed because its version was removed meanwhile. */
  wasTakenAway(version: Version, error: unknown): boolean {
    return version.isGone && TAKEN_AWAY.has((error as { code?: unknown } | null | undefined)?.code);
  }

  /**
   * Returns the error for a call that needs a loaded version and cannot wait, such as
   * `predictSync`.
   */
  notLoaded(version: Version): Error {
    if (version.quarantine.isResting && version.quarantine.restMs > 0) return this.#resting(version);
    return registryError('ERR_REGISTRY_NOT_LOADED', { at: version.reference });
  }

  async #loaded(version: Version, deadline: RequestDeadline | undefined): Promise<RegisteredPlan> {
    const load = this.loader.load(version);
    if (deadline === undefined) return load;
    try {
      return await deadline.wait(load);
    } catch (error) {
      version.quarantine.leave(); // a canceled request is neither a success nor a failure
      throw error;
    }
  }

  async #run<T>(
    version: Version,
    plan: RegisteredPlan,
    deadline: RequestDeadline | undefined,
    run: Run<T>,
  ): Promise<T> {
    try {
      return await run(plan, deadline?.rest);
    } catch (error) {
      if (deadline?.isOver(error) !== true) throw this.failureOf(version, error);
      version.quarantine.leave();
      throw error;
    }
  }

  /**
   * Unloads a version after its quarantine, so that the current request loads the plan from its
   * source again. Has no effect if other requests use the version, or if it has no source.
   */
  #loadAnew(version: Version): void {
    if (version.source !== undefined && version.inFlight === 1) this.loader.unload(version, 'failing');
  }

  #resting({ reference, quarantine }: Version): Error {
    const received = `next attempt in ${Math.ceil(quarantine.restMs)} ms`;
    return registryError('ERR_REGISTRY_QUARANTINED', { received, at: reference, cause: quarantine.lastFailure });
  }

  #onFailed(version: Version, error: unknown): void {
    const { tell, restMs } = this.#parts;
    version.failures++;
    tell('failed', { version: version.reference, error });
    if (version.quarantine.failed(error)) tell('quarantined', { version: version.reference, restMs, error });
  }

  #onLoaded(version: Version, milliseconds: number): void {
    const { reference, parameterBytes } = version;
    this.#parts.tell('loaded', { version: reference, milliseconds, bytes: parameterBytes });
  }
}
