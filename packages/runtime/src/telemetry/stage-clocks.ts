import type { AnswerBlock } from '../execute/answer-block.js';
import { Sampler } from './sampler.js';
import type { StageTimes } from './stage-times.js';

/** A place in the clocks of a run. */
export interface ClockPlace {
  /** Where its time counts: at each plan whose stage it is. */
  readonly times: readonly StageTimes[];
  /** It runs in some blocks only; without a time it did not. */
  readonly mayRest?: boolean;
}

/** Clocks at the stages of some rows, one row or block in so many. */
export class StageClocks {
  readonly #places: readonly ClockPlace[];
  /** Time of each place in the sample that runs. */
  readonly #clock: Float64Array;
  readonly #sampler: Sampler;

  constructor(places: readonly ClockPlace[], sampleEvery: number) {
    this.#places = places;
    this.#clock = new Float64Array(places.length);
    this.#sampler = new Sampler(sampleEvery);
  }

  /** Runs rows: with a clock at each stage where it is their turn. What fails is no sample. */
  sample<T>(rows: number, run: (nanoseconds?: Float64Array) => T): T {
    if (!this.takesSample()) return run();
    const result = run(this.#clock.fill(0));
    this.add(rows, this.#clock);
    return result;
  }

  /** The same for rows that are answered later, while others run. */
  async sampleLater<T>(rows: number, run: (nanoseconds?: Float64Array) => Promise<T>): Promise<T> {
    if (!this.takesSample()) return run();
    const clock = new Float64Array(this.#places.length);
    const result = await run(clock);
    this.add(rows, clock);
    return result;
  }

  /** Whether it is the turn of these rows to be run with clocks. */
  takesSample(): boolean {
    return this.#sampler.takes();
  }

  /** @param clock what each place took for so many rows, in nanoseconds. */
  add(rows: number, clock: Float64Array): void {
    this.#places.forEach(({ times, mayRest }, place) => {
      const nanoseconds = clock[place]!;
      if (mayRest && nanoseconds === 0) return;
      for (const one of times) one.record(nanoseconds / rows);
    });
  }
}

/** What may be timed: a plan. */
interface Timed {
  readonly stageClocks: StageClocks | undefined;
}

/**
 * Blocks of rows, some of them with clocks. @param blocksOf the engine, with clocks where it gets
 * an array for them.
 */
export function sampledBlocks(
  { stageClocks }: Timed,
  blocksOf: (nanoseconds?: Float64Array) => AnswerBlock,
): AnswerBlock {
  const plain = blocksOf();
  if (stageClocks === undefined) return plain;
  let timed: AnswerBlock | undefined; // there is one array for all samples
  return (columns, rows, first, check) =>
    stageClocks.sample(rows, (nanoseconds) => {
      if (nanoseconds === undefined) return plain(columns, rows, first, check);
      timed ??= blocksOf(nanoseconds);
      return timed(columns, rows, first, check);
    });
}

/** One row, or rows of which no answers are made, likewise. */
export const sampled = <T>({ stageClocks }: Timed, rows: number, run: (nanoseconds?: Float64Array) => T): T =>
  stageClocks === undefined ? run() : stageClocks.sample(rows, run);

/** Rows that are answered later, likewise. */
export const sampledLater = <T>(
  { stageClocks }: Timed,
  rows: number,
  run: (nanoseconds?: Float64Array) => Promise<T>,
): Promise<T> => (stageClocks === undefined ? run() : stageClocks.sampleLater(rows, run));
