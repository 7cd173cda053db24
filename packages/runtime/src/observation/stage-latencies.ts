import { createHistogram, type RecordableHistogram } from 'node:perf_hooks';
import type { PlanEngine } from '@brezel/core';
import type { CatalogStage } from '../catalog.js';
import type { AnswerBlock } from '../engines/answer-block.js';
import { type Percentiles, percentilesOf } from './percentiles.js';

/** How long a stage of a plan takes. */
export interface StageLatency {
  /** Equal keys are one stage, however many plans run it. */
  readonly key: string;
  readonly operators: readonly string[];
  readonly engine: 'native' | 'javascript';
  /** Nanoseconds a row; a block of rows is one sample. To a tenth of their size. */
  readonly nanoseconds: Percentiles;
}

/** One significant figure up to ten seconds takes 6 KiB a stage, made at its first sample. */
const FIGURES = 1;
const GREATEST_NANOS = 10e9;

/** Times of the stages of one plan. */
export class StageLatencies {
  /** Time of each stage in the sample that runs. */
  readonly #clock: Float64Array;
  readonly #histograms: (RecordableHistogram | undefined)[];
  readonly #sampleEvery: number;
  #untilSample = 1;

  constructor(stages: number, sampleEvery: number) {
    this.#clock = new Float64Array(stages);
    this.#histograms = Array.from({ length: stages });
    this.#sampleEvery = sampleEvery;
  }

  /** Runs rows: with a clock at each stage where it is their turn. What fails is no sample. */
  sample<T>(rows: number, run: (nanoseconds?: Float64Array) => T): T {
    if (!this.takesSample()) return run();
    const result = run(this.#clock.fill(0));
    this.add(rows, this.#clock);
    return result;
  }

  /** Whether it is the turn of these rows to be run with clocks. */
  takesSample(): boolean {
    if (--this.#untilSample > 0) return false;
    this.#untilSample = this.#sampleEvery;
    return true;
  }

  /** @param clock what each stage took for so many rows, in nanoseconds. */
  add(rows: number, clock: Float64Array): void {
    clock.forEach((nanoseconds, stage) => {
      this.#record(stage, nanoseconds / rows);
    });
  }

  stats(stages: readonly CatalogStage[], planEngine: PlanEngine): StageLatency[] {
    return stages.flatMap(({ stage, native }, at) => {
      const histogram = this.#histograms[at];
      if (histogram === undefined) return [];
      return {
        key: stage.key,
        operators: stage.steps.map(({ operator }) => operator),
        engine: native === undefined || planEngine === 'javascript' ? ('javascript' as const) : ('native' as const),
        nanoseconds: percentilesOf(histogram),
      };
    });
  }

  #record(stage: number, nanoseconds: number): void {
    this.#histograms[stage] ??= createHistogram({ lowest: 1, highest: GREATEST_NANOS, figures: FIGURES });
    this.#histograms[stage]!.record(Math.min(GREATEST_NANOS, Math.max(1, Math.round(nanoseconds))));
  }
}

/** What may be timed: a plan. */
interface Timed {
  readonly stageLatencies?: StageLatencies;
}

/** Blocks of rows, some of them with clocks. @param blocksOf the engine, with clocks where it gets an array for them. */
export function sampledBlocks(
  { stageLatencies }: Timed,
  blocksOf: (nanoseconds?: Float64Array) => AnswerBlock,
): AnswerBlock {
  const plain = blocksOf();
  if (stageLatencies === undefined) return plain;
  let timed: AnswerBlock | undefined; // there is one array for all samples
  return (columns, rows, first, check) =>
    stageLatencies.sample(rows, (nanoseconds) => {
      if (nanoseconds === undefined) return plain(columns, rows, first, check);
      timed ??= blocksOf(nanoseconds);
      return timed(columns, rows, first, check);
    });
}

/** One row, or rows of which no answers are made, likewise. */
export const sampled = <T>({ stageLatencies }: Timed, rows: number, run: (nanoseconds?: Float64Array) => T): T =>
  stageLatencies === undefined ? run() : stageLatencies.sample(rows, run);
