import type { AnswerBlock } from '../execute/answers/answer-block.js';
import { Sampler } from './sampler.js';
import type { StageTimes } from './stage-times.js';

/** The `StageTimes` to which one clock adds its time. */
export interface ClockPlace {
  /** One `StageTimes` for each plan that uses the stage. */
  readonly times: readonly StageTimes[];
  /**
   * True if the stage runs only in some blocks. A time of 0 then means that the stage did not run,
   * and is not recorded.
   */
  readonly mayRest?: boolean;
}

/** Measures the stages of a plan in one of N rows or blocks. */
export class StageClocks {
  readonly #places: readonly ClockPlace[];
  /** Scratch memory for the times of one sample, one for each clock. */
  readonly #clock: Float64Array;
  readonly #sampler: Sampler;

  constructor(places: readonly ClockPlace[], sampleEvery: number) {
    this.#places = places;
    this.#clock = new Float64Array(places.length);
    this.#sampler = new Sampler(sampleEvery);
  }

  /** Runs rows, and measures stages if these rows are sampled. Failed rows are not recorded. */
  sample<T>(rows: number, run: (nanoseconds?: Float64Array) => T): T {
    if (!this.takesSample()) return run();
    const result = run(this.#clock.fill(0));
    this.add(rows, this.#clock);
    return result;
  }

  /** Runs rows asynchronously, and measures stages if these rows are sampled. */
  async sampleLater<T>(rows: number, run: (nanoseconds?: Float64Array) => Promise<T>): Promise<T> {
    if (!this.takesSample()) return run();
    const clock = new Float64Array(this.#places.length);
    const result = await run(clock);
    this.add(rows, clock);
    return result;
  }

  /** Returns whether to measure the stages for these rows. */
  takesSample(): boolean {
    return this.#sampler.takes();
  }

  /**
   * Records a sample.
   * @param clock the time that each clock has measured for all `rows` rows, in nanoseconds
   */
  add(rows: number, clock: Float64Array): void {
    this.#places.forEach(({ times, mayRest }, index) => {
      const nanoseconds = clock[index]!;
      if (mayRest && nanoseconds === 0) return;
      for (const stageTimes of times) stageTimes.record(nanoseconds / rows);
    });
  }
}

/** A plan with clocks, if the runtime measures stages. */
interface Timed {
  readonly stageClocks: StageClocks | undefined;
}

/**
 * Returns a function that answers blocks and measures the stages of some blocks.
 * @param blocksOf creates a function that answers blocks. With an array, the function also adds the
 * times of stages to the array.
 */
export function sampledBlocks(
  { stageClocks }: Timed,
  blocksOf: (nanoseconds?: Float64Array) => AnswerBlock,
): AnswerBlock {
  const plain = blocksOf();
  if (stageClocks === undefined) return plain;
  let timed: AnswerBlock | undefined; // one function for all samples, because they share one array
  return (block, sink, at) =>
    stageClocks.sample(block.rows, (nanoseconds) => {
      if (nanoseconds === undefined) return plain(block, sink, at);
      timed ??= blocksOf(nanoseconds);
      return timed(block, sink, at);
    });
}

/** Runs rows synchronously, and measures stages if these rows are sampled. */
export const sampled = <T>({ stageClocks }: Timed, rows: number, run: (nanoseconds?: Float64Array) => T): T =>
  stageClocks === undefined ? run() : stageClocks.sample(rows, run);

/** Runs rows asynchronously, and measures stages if these rows are sampled. */
export const sampledLater = <T>(
  { stageClocks }: Timed,
  rows: number,
  run: (nanoseconds?: Float64Array) => Promise<T>,
): Promise<T> => (stageClocks === undefined ? run() : stageClocks.sampleLater(rows, run));
