import type { AnswerBlock } from '../execute/answer-block.js';
import { Sampler } from './sampler.js';
import type { StageTimes } from './stage-times.js';

/** One clock in a run. */
export interface ClockPlace {
  /** The stage times that it adds to: one for each plan of the stage. */
  readonly times: readonly StageTimes[];
  /** Whether it runs in some blocks only; without a time it did not run. */
  readonly mayRest?: boolean;
}

/** Measures the stages of one in every N rows or blocks. */
export class StageClocks {
  readonly #places: readonly ClockPlace[];
  /** Times of the current sample, by clock. */
  readonly #clock: Float64Array;
  readonly #sampler: Sampler;

  constructor(places: readonly ClockPlace[], sampleEvery: number) {
    this.#places = places;
    this.#clock = new Float64Array(places.length);
    this.#sampler = new Sampler(sampleEvery);
  }

  /** Runs rows, with clocks if they are sampled. Failed rows are not recorded. */
  sample<T>(rows: number, run: (nanoseconds?: Float64Array) => T): T {
    if (!this.takesSample()) return run();
    const result = run(this.#clock.fill(0));
    this.add(rows, this.#clock);
    return result;
  }

  /** Runs rows asynchronously, with clocks if they are sampled. */
  async sampleLater<T>(rows: number, run: (nanoseconds?: Float64Array) => Promise<T>): Promise<T> {
    if (!this.takesSample()) return run();
    const clock = new Float64Array(this.#places.length);
    const result = await run(clock);
    this.add(rows, clock);
    return result;
  }

  /** Returns whether these rows run with clocks. */
  takesSample(): boolean {
    return this.#sampler.takes();
  }

  /** @param clock nanoseconds of each clock for `rows` rows. */
  add(rows: number, clock: Float64Array): void {
    this.#places.forEach(({ times, mayRest }, place) => {
      const nanoseconds = clock[place]!;
      if (mayRest && nanoseconds === 0) return;
      for (const one of times) one.record(nanoseconds / rows);
    });
  }
}

/** A plan with clocks. */
interface Timed {
  readonly stageClocks: StageClocks | undefined;
}

/**
 * Returns an engine of blocks that measures some of them. @param blocksOf creates the engine; it
 * uses clocks if it gets an array for them.
 */
export function sampledBlocks(
  { stageClocks }: Timed,
  blocksOf: (nanoseconds?: Float64Array) => AnswerBlock,
): AnswerBlock {
  const plain = blocksOf();
  if (stageClocks === undefined) return plain;
  let timed: AnswerBlock | undefined; // one engine for all samples, because they share one array
  return (columns, rows, first, check) =>
    stageClocks.sample(rows, (nanoseconds) => {
      if (nanoseconds === undefined) return plain(columns, rows, first, check);
      timed ??= blocksOf(nanoseconds);
      return timed(columns, rows, first, check);
    });
}

/** Runs one row, or rows without answers, with clocks if they are sampled. */
export const sampled = <T>({ stageClocks }: Timed, rows: number, run: (nanoseconds?: Float64Array) => T): T =>
  stageClocks === undefined ? run() : stageClocks.sample(rows, run);

/** Runs rows asynchronously, with clocks if they are sampled. */
export const sampledLater = <T>(
  { stageClocks }: Timed,
  rows: number,
  run: (nanoseconds?: Float64Array) => Promise<T>,
): Promise<T> => (stageClocks === undefined ? run() : stageClocks.sampleLater(rows, run));
