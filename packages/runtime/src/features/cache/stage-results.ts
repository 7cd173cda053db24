import type { Block } from '@brezel/core';
import type { Checksum } from '@brezel/object-store';
import { copyRow } from '../../execute/block-rows.js';
import type { CachedResults, CachedStageResults } from '../../execute/stages/cached-results.js';
import { blockBytes } from './block-bytes.js';
import { keyOfRow } from './block-keys.js';
import { type CacheStatistics, PredictionCache } from './prediction-cache.js';
import { Recurrence } from './recurrence.js';
import type { RowKey } from './row-keys.js';

interface CachedBlocks {
  readonly stage: number;
  readonly blocks: readonly Block[];
}

/**
 * Caches the results of stages that run in JavaScript. A key consists of the stage and all bytes of
 * its input. The cache evicts the least recently used results first. The addon has the same cache
 * for native stages (native/src/stage_results.hpp).
 */
export class StageResults implements CachedResults {
  readonly #maxBytes: number;
  /**
   * The cache. The first call of `enable` creates it, because in most runtimes no shared stage runs
   * in JavaScript.
   */
  #cache: PredictionCache<CachedBlocks> | undefined;
  readonly #checksum: Checksum;
  readonly #stages = new Map<string, ResultsOfStage>();
  #lastStage = 0;
  isOn = true;

  constructor(maxBytes: number, checksum: Checksum) {
    this.#maxBytes = maxBytes;
    this.#checksum = checksum;
  }

  enable(stageKey: string): void {
    this.#cache ??= new PredictionCache(this.#maxBytes);
    // a new number each time, so that lookups never find results of an earlier plan
    const stage = ++this.#lastStage;
    this.#stages.set(stageKey, new ResultsOfStage(stage, this.#cache, this.#checksum));
  }

  forget(stageKey: string): void {
    const gone = this.#stages.get(stageKey);
    this.#stages.delete(stageKey);
    this.#cache?.drop(({ stage }) => stage === gone?.stage);
  }

  /** Returns the cache of a stage, or undefined if its results are not cached. */
  of(stageKey: string): ResultsOfStage | undefined {
    return this.isOn ? this.#stages.get(stageKey) : undefined;
  }

  stats(): CacheStatistics {
    const nothing = { hits: 0, misses: 0, evictions: 0, entries: 0, bytes: 0, maxBytes: this.#maxBytes };
    return this.#cache?.stats() ?? nothing;
  }
}

/** The cached results of one stage. */
export class ResultsOfStage implements CachedStageResults<RowKey> {
  readonly stage: number;
  readonly #cache: PredictionCache<CachedBlocks>;
  readonly #checksum: Checksum;
  readonly #recurrence = new Recurrence();
  /**
   * A random start value of the fingerprint. An attacker who does not know the value cannot choose
   * inputs with the same fingerprint.
   */
  readonly #seed = Math.floor(Math.random() * 2 ** 32);

  constructor(stage: number, cache: PredictionCache<CachedBlocks>, checksum: Checksum) {
    this.stage = stage;
    this.#cache = cache;
    this.#checksum = checksum;
  }

  /**
   * Returns the key of one row of the stage's inputs, or undefined if the stage should run on this
   * row without the cache.
   */
  keyOf(inputs: readonly Block[], row: number): RowKey | undefined {
    const content = keyOfRow(inputs, row);
    if (!this.#recurrence.looksAt(content)) return undefined;
    return { text: `${this.stage};${content}`, fingerprint: this.#checksum.fingerprint(content, this.#seed) };
  }

  /** Returns the cached result for a key, or undefined. */
  find(key: RowKey): readonly Block[] | undefined {
    const found = this.#cache.get(key);
    this.#recurrence.saw(key.fingerprint, found !== undefined);
    return found?.blocks.map(sharedBlock);
  }

  /** Caches a copy of row `row` of the outputs, unless the inputs of the stage rarely repeat. */
  cache(key: RowKey, outputs: readonly Block[], row: number): void {
    if (this.#recurrence.isRare) return;
    const blocks = outputs.map((block) => copyRow(block, row));
    const bytes = blocks.reduce((sum, block) => sum + blockBytes(block), 0);
    this.#cache.set(key, { stage: this.stage, blocks }, bytes);
  }
}

/**
 * Returns a sparse or dense block without copying it: kernels never write to their inputs, and
 * custom operators get copies. Copies other blocks.
 */
const sharedBlock = (block: Block): Block =>
  block.kind === 'sparse' || block.kind === 'dense' ? block : copyRow(block, 0);
