import { BrezelError, within } from '@brezel/core';
import type { RegisteredPlan, Runtime } from '@brezel/runtime';
import { isPlanFailure } from '@brezel/runtime';
import pLimit from 'p-limit';
import { RegistryError, registryError } from './errors.js';
import type { UnloadReason } from './events.js';
import type { LoadResult } from './source.js';
import type { Version } from './version.js';

export interface LoaderParts {
  readonly runtime: Runtime;
  readonly budgetBytes: number;
  readonly loadTimeoutMs: number;
  onLoaded(version: Version, milliseconds: number): void;
  onUnloaded(version: Version, reason: UnloadReason): void;
  onFailed(version: Version, error: unknown): void;
}

/**
 * Sources that are read at once: each may hold a whole file in memory, and what it does is on this
 * thread anyway.
 */
const LOADS_AT_ONCE = 2;

/**
 * Brings plans into the runtime when they are asked for, and takes those out that were not used for
 * longest when memory runs short.
 */
export class Loader {
  readonly #parts: LoaderParts;
  readonly #limit = pLimit(LOADS_AT_ONCE);
  readonly #loaded = new Set<Version>();

  constructor(parts: LoaderParts) {
    this.#parts = parts;
  }

  get loaded(): ReadonlySet<Version> {
    return this.#loaded;
  }

  /** One load, however many ask for it. */
  load(version: Version): Promise<RegisteredPlan> {
    if (version.plan !== undefined) return Promise.resolve(version.plan);
    version.loading ??= this.#start(version);
    return version.loading;
  }

  /**
   * Registers a plan that is there already. @throws ERR_REGISTRY_BUDGET, and what the runtime says
   * against the plan.
   */
  take(version: Version, { plan, unloaded }: LoadResult): RegisteredPlan {
    const registered = this.#parts.runtime.register(plan, { ...version.register, name: version.reference });
    version.plan = registered;
    version.unloaded = unloaded;
    this.#loaded.add(version);
    try {
      this.#makeRoom(version);
    } catch (error) {
      version.unloaded = undefined; // the caller of this one tells the source
      this.#drop(version);
      throw error;
    }
    version.parameterBytes = this.#parts.runtime.parameterBytes([registered]);
    return registered;
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
      this.#parts.runtime.unregister(plan!);
    } catch (error) {
      // Somebody closed the runtime, and with it went every plan.
      if ((error as { code?: string }).code !== 'ERR_RUNTIME_CLOSED') throw error;
    }
    unloaded?.();
  }

  #start(version: Version): Promise<RegisteredPlan> {
    const done = this.#limit(() => this.#load(version));
    const gone = new Promise<never>((_, reject) => {
      version.abandon = () => reject(removed(version));
    });
    return Promise.race([done, gone]).finally(() => {
      version.loading = undefined;
      version.abandon = undefined;
    });
  }

  async #load(version: Version): Promise<RegisteredPlan> {
    if (version.isGone) throw removed(version);
    const start = performance.now();
    try {
      const loaded = await this.#fetch(version);
      const registered = this.#register(version, loaded);
      version.loads++;
      this.#parts.onLoaded(version, performance.now() - start);
      return registered;
    } catch (error) {
      const failure = asLoadError(version, error);
      if (isPlanFailure(failure)) this.#parts.onFailed(version, failure);
      throw failure;
    }
  }

  #register(version: Version, loaded: LoadResult): RegisteredPlan {
    try {
      if (version.isGone) throw removed(version);
      return this.take(version, loaded);
    } catch (error) {
      loaded.unloaded?.();
      throw error;
    } finally {
      loaded.plan.release?.(); // the runtime holds references of its own
    }
  }

  /** What comes after its time is given back. */
  async #fetch(version: Version): Promise<LoadResult> {
    const { loadTimeoutMs, runtime } = this.#parts;
    const loading = (async () => version.source!.load())();
    const loaded = await within(runtime.clock, loadTimeoutMs, loading);
    if (loaded !== undefined) return loaded;
    loading.then(giveBack, () => {});
    const hint = 'look at what the source waits for, or raise loadTimeoutMs';
    throw registryError('ERR_REGISTRY_LOAD', { received: `nothing for ${loadTimeoutMs} ms`, at: at(version), hint });
  }

  /** @throws ERR_REGISTRY_BUDGET before anything is unloaded in vain. */
  #makeRoom(newcomer: Version): void {
    const { runtime, budgetBytes } = this.#parts;
    if (runtime.parameterBytes() <= budgetBytes) return;
    const unused = [...this.#loaded].filter((version) => version !== newcomer && version.canUnload);
    const staying = new Set(this.#loaded);
    for (const version of unused) staying.delete(version);
    const least = runtime.parameterBytes([...staying].map((version) => version.plan!));
    if (least > budgetBytes) {
      const received = `${least} bytes with what cannot be unloaded now`;
      throw registryError('ERR_REGISTRY_BUDGET', { expected: `at most ${budgetBytes}`, received, at: at(newcomer) });
    }
    unused.sort((a, b) => a.lastUse - b.lastUse);
    for (const version of unused) {
      if (runtime.parameterBytes() <= budgetBytes) return;
      this.unload(version, 'budget');
    }
  }
}

function giveBack({ plan, unloaded }: LoadResult): void {
  plan.release?.();
  unloaded?.();
}

const removed = (version: Version) => registryError('ERR_REGISTRY_REMOVED', { at: version.reference });

const at = ({ reference, source }: Version) => (source?.at === undefined ? reference : `${reference} (${source.at})`);

/** What names the version already. */
const COMPLETE: ReadonlySet<string> = new Set(['ERR_REGISTRY_LOAD', 'ERR_REGISTRY_BUDGET', 'ERR_REGISTRY_REMOVED']);

function asLoadError(version: Version, cause: unknown): RegistryError {
  if (cause instanceof RegistryError && COMPLETE.has(cause.code)) return cause;
  const received = cause instanceof Error ? cause.message : String(cause);
  const hint = cause instanceof BrezelError ? { hint: cause.hint } : {};
  return registryError('ERR_REGISTRY_LOAD', { received, at: at(version), cause, ...hint });
}
