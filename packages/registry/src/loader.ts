import { setImmediate as nextTurn } from 'node:timers/promises';
import { BrezelError } from '@brezel/core';
import type { RegisteredPlan, Runtime } from '@brezel/runtime';
import { addQuality, isLargePlan, isPlanFailure } from '@brezel/runtime';
import pLimit from 'p-limit';
import { RegistryError, registryError } from './errors.js';
import type { UnloadReason } from './events.js';
import { LoadTimer } from './load-timer.js';
import { PrefaultWaits } from './prefault-waits.js';
import type { LoadResult } from './source.js';
import type { Version } from './version.js';

export interface LoaderParts {
  readonly runtime: Runtime;
  readonly budgetBytes: number;
  readonly loadTimeoutMs: number;
  /** Whether a load prepares the plan for its first predictions. */
  readonly warm: boolean;
  /** The number of models that `ModelFormats.compile` can import at the same time. */
  readonly importsAtOnce: number;
  onLoaded(version: Version, milliseconds: number): void;
  onUnloaded(version: Version, reason: UnloadReason): void;
  onFailed(version: Version, error: unknown): void;
}

/**
 * At least this many sources may load at the same time. With two, the next file is read while one
 * model is imported. The number is small because each load can hold a whole file in memory.
 */
const LEAST_LOADS_AT_ONCE = 2;

const SLOW_HINT = 'check why the source is slow, or increase loadTimeoutMs';
const QUEUE_HINT =
  'another import holds the import thread: set importThreads, which gives the registry separate threads, or increase loadTimeoutMs';

/**
 * Loads plans into the runtime on demand. Unloads the least recently used plans when all loaded
 * plans together exceed the memory budget.
 */
export class Loader {
  readonly #parts: LoaderParts;
  readonly #limit: ReturnType<typeof pLimit>;
  readonly #loaded = new Set<Version>();
  /**
   * Plans that are registered but still warming. The field `plan` of their versions is not set yet.
   */
  readonly #arriving = new Set<RegisteredPlan>();
  /** Plans that are being registered or warmed. */
  readonly #adopting = new Set<Promise<unknown>>();
  readonly #prefaults: PrefaultWaits;

  constructor(parts: LoaderParts) {
    this.#parts = parts;
    this.#prefaults = new PrefaultWaits(parts.runtime.clock);
    this.#limit = pLimit(Math.max(LEAST_LOADS_AT_ONCE, parts.importsAtOnce));
  }

  get loaded(): ReadonlySet<Version> {
    return this.#loaded;
  }

  /** Loads a version. Concurrent callers share one load. */
  load(version: Version): Promise<RegisteredPlan> {
    if (version.plan !== undefined) return Promise.resolve(version.plan);
    version.loading ??= this.#start(version);
    return version.loading;
  }

  /**
   * Registers a plan that is already in memory.
   * @throws ERR_REGISTRY_BUDGET and the errors of `Runtime.register`.
   */
  take(version: Version, loaded: LoadResult): RegisteredPlan {
    const registered = this.#register(version, loaded);
    try {
      this.#makeRoom(version, registered);
      return this.#publish(version, registered, loaded);
    } catch (error) {
      this.#withdraw(registered);
      throw error;
    }
  }

  /** Waits until no plan is being registered or warmed. */
  async settled(): Promise<void> {
    await Promise.allSettled(this.#adopting);
  }

  #register(version: Version, loaded: LoadResult): RegisteredPlan {
    return this.#parts.runtime.register(namedFor(version, loaded), version.register);
  }

  async #tracked<T>(adopting: Promise<T>): Promise<T> {
    this.#adopting.add(adopting);
    try {
      return await adopting;
    } finally {
      this.#adopting.delete(adopting);
    }
  }

  /**
   * Gives a version its plan, so that requests can use it.
   *
   * @param bytes the bytes of all parameters of the plan, if the caller has already computed this
   * sum
   */
  #publish(version: Version, registered: RegisteredPlan, { unloaded }: LoadResult, bytes?: number): RegisteredPlan {
    if (version.isGone) throw removed(version);
    version.parameterBytes = bytes ?? this.#parts.runtime.parameterBytes([registered]);
    version.plan = registered;
    version.unloaded = unloaded;
    this.#loaded.add(version);
    this.#arriving.delete(registered);
    return registered;
  }

  /** Unregisters a plan after an error of its load. */
  #withdraw(registered: RegisteredPlan): void {
    const { runtime } = this.#parts;
    this.#arriving.delete(registered);
    if (runtime.has(registered)) runtime.unregister(registered);
  }

  unload(version: Version, reason: UnloadReason): void {
    if (version.plan === undefined) return;
    this.#drop(version);
    version.unloads++;
    this.#parts.onUnloaded(version, reason);
  }

  #drop(version: Version): void {
    const { plan, unloaded } = version;
    version.plan = undefined;
    version.unloaded = undefined;
    this.#loaded.delete(version);
    try {
      version.quality = addQuality(version.quality, this.#parts.runtime.quality(plan!));
      this.#parts.runtime.unregister(plan!);
    } catch (error) {
      // After `runtime.close()`, every plan is already unregistered.
      if ((error as { code?: string }).code !== 'ERR_RUNTIME_CLOSED') throw error;
    }
    unloaded?.();
  }

  #start(version: Version): Promise<RegisteredPlan> {
    const gone = new Promise<never>((_, reject) => {
      version.abandon = () => reject(removed(version));
    });
    const done = this.#limit(() => this.#load(version, gone));
    return Promise.race([done, gone]).finally(() => {
      version.loading = undefined;
      version.abandon = undefined;
    });
  }

  async #load(version: Version, gone: Promise<never>): Promise<RegisteredPlan> {
    if (version.isGone) throw removed(version);
    const { clock } = this.#parts.runtime;
    const start = clock.now();
    try {
      const loaded = await this.#fetch(version);
      const registered = await this.#tracked(this.#adopt(version, loaded, gone));
      version.loads++;
      this.#parts.onLoaded(version, clock.now() - start);
      return registered;
    } catch (error) {
      const failure = asLoadError(version, error);
      if (isPlanFailure(failure)) this.#parts.onFailed(version, failure);
      throw failure;
    }
  }

  /**
   * Registers a plan that its source has loaded. If this fails, the source gets the plan back.
   *
   * @param gone rejects when the version is removed
   */
  async #adopt(version: Version, loaded: LoadResult, gone: Promise<never>): Promise<RegisteredPlan> {
    let registered: RegisteredPlan | undefined;
    try {
      const bytes = isLargePlan(loaded.plan) ? await parameterBytesOf(loaded.plan, this.#parts.runtime) : undefined;
      if (version.isGone) throw removed(version);
      registered = bytes === undefined ? this.#register(version, loaded) : await this.#registerInTurns(version, loaded);
      if (version.isGone) throw removed(version);
      this.#makeRoom(version, registered);
      if (this.#parts.warm) await this.#warm(registered, loaded, gone);
      return this.#publish(version, registered, loaded, bytes);
    } catch (error) {
      if (registered !== undefined) this.#withdraw(registered);
      loaded.unloaded?.();
      throw error;
    } finally {
      loaded.plan.release?.(); // the runtime holds separate references
    }
  }

  /** Registers a plan as `#register` does. The event loop runs between pieces of the work. */
  #registerInTurns(version: Version, loaded: LoadResult): Promise<RegisteredPlan> {
    return this.#parts.runtime.registerAsync(namedFor(version, loaded), version.register);
  }

  /** Prepares a plan for its first predictions, before the version can use it. */
  async #warm(registered: RegisteredPlan, { prefaulted }: LoadResult, gone: Promise<never>): Promise<void> {
    this.#arriving.add(registered);
    if (prefaulted !== undefined) await this.#prefaults.wait(prefaulted, gone);
    await this.#parts.runtime.warm(registered).catch(unlessIsolated);
  }

  /**
   * Loads the plan from its source. If the plan arrives only after the timeout, releases the plan.
   */
  async #fetch(version: Version): Promise<LoadResult> {
    const { loadTimeoutMs, runtime } = this.#parts;
    const timeout = new AbortController();
    const timer = new LoadTimer(runtime.clock, loadTimeoutMs);
    const options = { signal: timeout.signal, pauseTimeout: () => timer.pause() };
    const loading = (async () => version.source!.load(options))();
    const loaded = await Promise.race([loading, timer.expired]).finally(() => timer.cancel());
    if (loaded !== undefined) return loaded;
    loading.then(giveBack, () => {});
    timeout.abort();
    const error = timer.isWaiting
      ? { received: `still in a queue after ${2 * loadTimeoutMs} ms`, hint: QUEUE_HINT }
      : { received: `no plan within ${loadTimeoutMs} ms`, hint: SLOW_HINT };
    throw registryError('ERR_REGISTRY_LOAD', { ...error, at: at(version) });
  }

  /**
   * Unloads least recently used plans until the parameters fit into the memory budget. The
   * parameters of warming plans count as well, but these plans are never unloaded.
   *
   * @param plan the registered plan of `newcomer`, whose field `plan` is not set yet
   * @throws ERR_REGISTRY_BUDGET if unloading cannot free enough memory; then no plan was unloaded.
   */
  #makeRoom(newcomer: Version, plan: RegisteredPlan): void {
    const { runtime, budgetBytes } = this.#parts;
    if (runtime.parameterBytes() <= budgetBytes) return;
    const unused = [...this.#loaded].filter((version) => version.canUnload);
    const staying = new Set(this.#loaded);
    for (const version of unused) staying.delete(version);
    const least = runtime.parameterBytes([plan, ...this.#arriving, ...[...staying].map((version) => version.plan!)]);
    if (least > budgetBytes) {
      const received = `${least} bytes in versions that cannot be unloaded now`;
      throw registryError('ERR_REGISTRY_BUDGET', { expected: `at most ${budgetBytes}`, received, at: at(newcomer) });
    }
    unused.sort((a, b) => a.lastUse - b.lastUse);
    for (const version of unused) {
      if (runtime.parameterBytes() <= budgetBytes) return;
      this.unload(version, 'budget');
    }
  }
}

/** Ignores the error of `warm` for a plan on isolated workers, which does not support `warm`. */
function unlessIsolated(error: { readonly code?: string }): void {
  if (error.code !== 'ERR_RUNTIME_ISOLATED') throw error;
}

/**
 * Returns a plan with the name of its version. The name is not passed as the option `name`, because
 * the runtime would reject a name that is in use. A removed version with requests in flight, or
 * another registry, may still use the name.
 */
const namedFor = ({ reference }: Version, { plan }: LoadResult) => ({ ...plan, name: reference });

/** `parameterBytesOf` lets the event loop run after this many parameters. */
const PIECE_PARAMETERS = 1024;

/**
 * Returns the bytes of all parameters of a plan. A plan can have very many parameters, so the event
 * loop runs between pieces of the work.
 */
async function parameterBytesOf({ parameters }: LoadResult['plan'], { store }: Runtime): Promise<number> {
  let bytes = 0;
  for (const [index, id] of parameters.entries()) {
    if (index % PIECE_PARAMETERS === PIECE_PARAMETERS - 1) await nextTurn();
    bytes += store.bytesOf(id);
  }
  return bytes;
}

function giveBack({ plan, unloaded }: LoadResult): void {
  plan.release?.();
  unloaded?.();
}

const removed = (version: Version) => registryError('ERR_REGISTRY_REMOVED', { at: version.reference });

const at = ({ reference, source }: Version) => (source?.at === undefined ? reference : `${reference} (${source.at})`);

/** Codes of errors that already name the version, so that they need no wrapper. */
const COMPLETE: ReadonlySet<string> = new Set(['ERR_REGISTRY_LOAD', 'ERR_REGISTRY_BUDGET', 'ERR_REGISTRY_REMOVED']);

function asLoadError(version: Version, cause: unknown): RegistryError {
  if (cause instanceof RegistryError && COMPLETE.has(cause.code)) return cause;
  const received = cause instanceof Error ? cause.message : String(cause);
  const hint = cause instanceof BrezelError ? { hint: cause.hint } : {};
  return registryError('ERR_REGISTRY_LOAD', { received, at: at(version), cause, ...hint });
}
