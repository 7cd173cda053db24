import type { Block } from '@brezel/core';
import type { Checksum } from '@brezel/object-store';
import type { CachedResults, CachedStageResults } from '../../execute/cached-results.js';
import { keyOfRow } from './block-keys.js';
import { blockBytes, rowOf } from './cached-blocks.js';
import { type CacheStatistics, PredictionCache } from './prediction-cache.js';
import { Recurrence } from './recurrence.js';
import type { RowKey } from './row-keys.js';

interface CachedBlocks {
  readonly stage: number;
  readonly blocks: readonly Block[];
}

/**
 * Results of stages that run in JavaScript, by the stage and all bytes of its input; the least
 * recently used go first. The addon keeps those of its own stages (native/src/stage_results.hpp),
 * by the same rules.
 */
export class StageResults implements CachedResults {
  readonly #maxBytes: number;
  /** Made for the first stage: most runtimes run none of theirs here. */
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
    const stage = ++this.#lastStage; // another one each time: what an earlier plan left is never found
    this.#stages.set(stageKey, new ResultsOfStage(stage, this.#cache, this.#checksum));
  }

  forget(stageKey: string): void {
    const gone = this.#stages.get(stageKey);
    this.#stages.delete(stageKey);
    this.#cache?.drop(({ stage }) => stage === gone?.stage);
  }

  /** Results of a stage, where they are kept. */
  of(stageKey: string): ResultsOfStage | undefined {
    return this.isOn ? this.#stages.get(stageKey) : undefined;
  }

  stats(): CacheStatistics {
    const nothing = { hits: 0, misses: 0, evictions: 0, entries: 0, bytes: 0, maxBytes: this.#maxBytes };
    return this.#cache?.stats() ?? nothing;
  }
}

/** Results of one stage. */
export class ResultsOfStage implements CachedStageResults<RowKey> {
  readonly stage: number;
  readonly #cache: PredictionCache<CachedBlocks>;
  readonly #checksum: Checksum;
  readonly #recurrence = new Recurrence();
  /** Another one in each process: nobody outside can choose inputs of one fingerprint. */
  readonly #seed = Math.floor(Math.random() * 2 ** 32);

  constructor(stage: number, cache: PredictionCache<CachedBlocks>, checksum: Checksum) {
    this.stage = stage;
    this.#cache = cache;
    this.#checksum = checksum;
  }

  /** Undefined: the stage may run without asking, and without keeping. */
  keyOf(inputs: readonly Block[]): RowKey | undefined {
    const content = keyOfRow(inputs);
    if (!this.#recurrence.looksAt(content)) return undefined;
    return { text: `${this.stage};${content}`, fingerprint: this.#checksum.fingerprint(content, this.#seed) };
  }

  /** What the stage made of such a row. */
  find(key: RowKey): readonly Block[] | undefined {
    const found = this.#cache.get(key);
    this.#recurrence.saw(key.fingerprint, found !== undefined);
    return found?.blocks.map(sharedBlock);
  }

  /** Keeps a copy of what the stage made, where such rows come again. */
  cache(key: RowKey, made: readonly Block[]): void {
    if (this.#recurrence.isRare) return;
    const blocks = made.map((block) => rowOf(block, 0));
    const bytes = blocks.reduce((sum, block) => sum + blockBytes(block), 0);
    this.#cache.set(key, { stage: this.stage, blocks }, bytes);
  }
}

/**
 * Numbers are read where they lie: kernels write nowhere else, and functions of users get copies.
 */
const sharedBlock = (block: Block): Block =>
  block.kind === 'sparse' || block.kind === 'dense' ? block : rowOf(block, 0);
