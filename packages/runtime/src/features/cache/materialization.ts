import { dtypeOf, type PlannedStage, sizeOf, type ValueType } from '@brezel/core';
import type { Checksum } from '@brezel/object-store';
import type { NativeKernels } from '../../execute/native/native-kernels.js';
import type { CatalogStage } from '../../plans/catalog.js';
import type { ServedPlan } from '../../plans/registered-plan.js';
import type { CacheStatistics } from './prediction-cache.js';
import { StageResults } from './stage-results.js';

/** Limits of the materialization cache. */
export interface MaterializationOptions {
  /**
   * The maximal memory of all cached results, at least 1024 bytes. If the addon is loaded, a
   * quarter of this memory is for stages that run in JavaScript. Default 16 MiB.
   */
  readonly maxBytes?: number;
}

/** Statistics of cached stage results. A hit is a row whose result was found. */
export interface MaterializationStatistics extends CacheStatistics {
  /** Number of stages whose results are cached. At least two plans share each of them. */
  readonly stages: number;
}

/**
 * Estimated nanoseconds to find a result or to cache it. Hashing and comparing the bytes of the
 * stage's input takes additional time.
 */
const FINDING_NANOS = 150;
const BYTE_NANOS = 0.2;
const ASSUMED_TEXT_BYTES = 600;
/**
 * Results of a stage are cached if the stage takes at least this many times as long as finding its
 * result. The factor is above 1, because a miss costs a lookup and the run of the stage.
 */
const LEAST_GAIN = 2;
const JAVASCRIPT_SHARE = 1 / 4;
const LEAST_SHARED = 2;

/**
 * Sub-plan materialization (PRETZEL paper, section 4.3): caches the results of stages that several
 * plans share. The key is the stage and all bytes of its input. Answers have the same bits with and
 * without materialization.
 *
 * By default, it caches the results of expensive stages that at least two plans use. When fewer
 * than two of these plans remain, the results of the stage are freed. Single rows and blocks use
 * the cache, on this thread and on native executors. Worker threads that run JavaScript and stages
 * that run in WebAssembly bypass it.
 */
export class Materialization {
  readonly #kernels: NativeKernels | undefined;
  /** Handle of the result cache in the addon. */
  readonly #handle: number | undefined;
  readonly #inJavaScript: StageResults;
  readonly #maxBytes: number;
  /** The number of plans that use each expensive stage. The map does not contain other stages. */
  readonly #users = new Map<CatalogStage, number>();
  readonly #entered = new Map<ServedPlan, CatalogStage[]>();
  #asides = 0;
  #isClosed = false;

  constructor(maxBytes: number, kernels: NativeKernels | undefined, checksum: Checksum) {
    const forJavaScript = kernels === undefined ? maxBytes : Math.floor(maxBytes * JAVASCRIPT_SHARE);
    this.#maxBytes = maxBytes;
    this.#kernels = kernels;
    this.#handle = kernels?.resultsCreate(maxBytes - forJavaScript);
    this.#inJavaScript = new StageResults(Math.max(1, forJavaScript), checksum);
  }

  /** The cached results of stages that run in JavaScript. */
  get inJavaScript(): StageResults {
    return this.#inJavaScript;
  }

  /**
   * Adds a registered plan to the users of its expensive stages. When a second plan uses a stage,
   * its results are cached from then on. If the method throws, it has changed nothing.
   */
  enter(plan: ServedPlan): void {
    const entered: CatalogStage[] = [];
    this.#entered.set(plan, entered);
    try {
      for (const stage of worthwhileStages(plan)) {
        const users = (this.#users.get(stage) ?? 0) + 1;
        if (users === LEAST_SHARED) this.#enable(stage);
        this.#users.set(stage, users);
        entered.push(stage);
      }
    } catch (error) {
      this.leave(plan);
      throw error;
    }
  }

  /** Removes the stages of a plan from the count, before the plan is removed. */
  leave(plan: ServedPlan): void {
    for (const stage of this.#entered.get(plan) ?? []) {
      const users = this.#users.get(stage)! - 1;
      if (users === LEAST_SHARED - 1) this.#forget(stage);
      if (users > 0) this.#users.set(stage, users);
      else this.#users.delete(stage);
    }
    this.#entered.delete(plan);
  }

  /**
   * Runs a function while cached results are switched off, for measurements. The results stay in
   * the cache.
   */
  async aside<T>(run: () => Promise<T>): Promise<T> {
    this.#switch(++this.#asides === 0);
    try {
      return await run();
    } finally {
      this.#switch(--this.#asides === 0);
    }
  }

  stats(): MaterializationStatistics {
    const own = this.#inJavaScript.stats();
    const native = this.#handle === undefined || this.#isClosed ? undefined : this.#kernels!.resultsStats(this.#handle);
    return {
      stages: [...this.#users.values()].filter((users) => users >= LEAST_SHARED).length,
      hits: own.hits + (native?.hits ?? 0),
      misses: own.misses + (native?.misses ?? 0),
      evictions: own.evictions + (native?.evictions ?? 0),
      entries: own.entries + (native?.entries ?? 0),
      bytes: own.bytes + (native?.bytes ?? 0),
      maxBytes: this.#maxBytes,
    };
  }

  /** Frees all results. Call it after the last plan was removed. */
  close(): void {
    if (this.#handle !== undefined && !this.#isClosed) this.#kernels!.resultsRelease(this.#handle);
    this.#isClosed = true;
  }

  #enable({ stage, stageHandle }: CatalogStage): void {
    if (stageHandle === undefined) this.#inJavaScript.enable(stage.key);
    else this.#kernels!.stageKeepResults(stageHandle, this.#handle!);
  }

  #forget({ stage, stageHandle }: CatalogStage): void {
    if (stageHandle === undefined) this.#inJavaScript.forget(stage.key);
    else this.#kernels!.stageForgetResults(stageHandle);
  }

  #switch(isOn: boolean): void {
    this.#inJavaScript.isOn = isOn;
    if (this.#handle !== undefined && !this.#isClosed) this.#kernels!.resultsSwitch(this.#handle, isOn);
  }
}

/**
 * Returns the stages of a plan whose results are faster to find than to compute. The result
 * contains each stage once. Stages in WebAssembly do not cache results.
 */
function worthwhileStages({ compiled, stages }: ServedPlan): Set<CatalogStage> {
  const found = new Set<CatalogStage>();
  for (let at = 0; at < stages.length; at++)
    if (stages[at]!.engine !== 'wasm' && isWorthwhile(compiled.stages[at]!)) found.add(stages[at]!);
  return found;
}

function isWorthwhile({ stage, marks }: PlannedStage): boolean {
  if (!marks.materializable) return false;
  const bytes = stage.inputs.reduce((sum, type) => sum + assumedBytes(type), 0);
  return marks.nanosPerRow > LEAST_GAIN * (FINDING_NANOS + BYTE_NANOS * bytes);
}

const assumedBytes = (type: ValueType): number =>
  type.kind === 'dictionary' || type.kind === 'sparse' || dtypeOf(type) === 'string'
    ? ASSUMED_TEXT_BYTES
    : sizeOf(type) * 8;
