import { setImmediate } from 'node:timers/promises';
import { optionNames, type PlanMeasurement, type RowTime } from '@brezel/core';
import type { ObjectStore } from '@brezel/object-store';
import { runtimeError } from '../errors.js';
import type { Answer } from '../execute/answers/answers.js';
import { BLOCK_ROWS } from '../execute/batch.js';
import type { Row } from '../execute/rows/row-schema.js';
import type { StageBytes } from '../execute/stages/stage-bytes.js';
import { parametersOf } from '../plans/catalog.js';
import type { ServedPlan } from '../plans/registered-plan.js';
import { stageNow } from './stage-now.js';

/** Options of `Runtime.profile`. */
export interface ProfileOptions {
  /**
   * Duration of the measurement in milliseconds, 1 to 60000. All rows run at least once, even if
   * that takes longer. Default 500.
   */
  readonly durationMs?: number;
  /**
   * Number of rows in a block, 1 to 256. Default 256, as in `predictBatch`. With 1, rows run one by
   * one as in `predictSync`.
   */
  readonly blockRows?: number;
}

/** The names of the options of `profile`. */
export const profileOptionNames = optionNames<ProfileOptions>({ durationMs: true, blockRows: true });

/** The measurement of a plan, and the answers to the rows. */
export interface PlanProfile extends PlanMeasurement {
  readonly answers: readonly Answer[];
}

/**
 * The plan to profile, with functions that answer a block of rows with and without measuring
 * stages.
 */
export interface ProfileSubject {
  readonly record: ServedPlan;
  readonly store: ObjectStore;
  readonly isa: string | undefined;
  /** Answers all rows once, so that an error about a row has the right row index. */
  check(rows: readonly Row[]): void;
  /** Answers a block of rows as a normal call does. */
  answer(rows: readonly Row[]): Answer[];
  /** Answers a block and measures each stage. Adds the times to `nanoseconds`. */
  answerTimed(rows: readonly Row[], nanoseconds: Float64Array): Answer[];
  /** Runs rows and returns the bytes that each stage reads and writes for one row. */
  bytes(rows: readonly Row[]): StageBytes[];
}

const DEFAULT_DURATION_MS = 500;
const GREATEST_DURATION_MS = 60_000;
/**
 * The profiler counts the bytes of at most this many rows, because counting is slower than
 * answering.
 */
const COUNTED_ROWS = 256;
/** The warm-up takes this share of `durationMs`. */
const WARM_UP_SHARE = 0.2;
/**
 * A repetition takes at least this many milliseconds, because shorter times would not be exact. A
 * repetition with few rows runs them several times.
 */
const REPETITION_MS = 1;

/**
 * Measures each stage of a plan. Calls with and without stage measurements alternate, so that the
 * result also shows what the measurement itself costs. The event loop runs between repetitions.
 */
export async function profilePlan(
  subject: ProfileSubject,
  rows: readonly Row[],
  options: ProfileOptions,
): Promise<PlanProfile> {
  const { durationMs, blockRows } = checkedOptions(options, subject.record.name);
  if (rows.length === 0)
    throw runtimeError('ERR_RUNTIME_INPUT', {
      expected: 'at least one row',
      received: 'none',
      at: subject.record.name,
    });
  subject.check(rows);
  const { answers, stages, totals, observed } = await repeat(
    subject,
    inBlocks(rows, blockRows),
    durationMs,
    rows.length,
  );
  const bytes = subject.bytes(rows.slice(0, COUNTED_ROWS));
  const { record, store, isa } = subject;
  return {
    engine: record.engine,
    ...(record.engine !== 'javascript' && isa !== undefined && { isa }),
    rows: rows.length,
    blockRows,
    repetitions: totals.length,
    stages: record.stages.map(({ stage, engine }, at) => ({
      key: stage.key,
      engine,
      nanoseconds: rowTime(stages[at]!),
      ...bytes[at]!,
      parameterBytes: [...parametersOf(stage)].reduce((sum, id) => sum + store.info(id).bytes, 0),
    })),
    total: rowTime(totals),
    rest: rowTime(
      totals.map((total, turn) => Math.max(0, total - stages.reduce((sum, times) => sum + times[turn]!, 0))),
    ),
    observed: rowTime(observed),
    answers,
  };
}

function checkedOptions(options: ProfileOptions, at: string): Required<ProfileOptions> {
  const { durationMs = DEFAULT_DURATION_MS, blockRows = BLOCK_ROWS } = options;
  const wrong = (expected: string, received: unknown) =>
    runtimeError('ERR_RUNTIME_OPTION', { expected, received: String(received), at });
  if (!(durationMs >= 1 && durationMs <= GREATEST_DURATION_MS))
    throw wrong(`durationMs from 1 to ${GREATEST_DURATION_MS}`, durationMs);
  if (!(Number.isInteger(blockRows) && blockRows >= 1 && blockRows <= BLOCK_ROWS))
    throw wrong(`blockRows, an integer from 1 to ${BLOCK_ROWS}`, blockRows);
  return { durationMs, blockRows };
}

function inBlocks(rows: readonly Row[], size: number): (readonly Row[])[] {
  const blocks: (readonly Row[])[] = [];
  for (let from = 0; from < rows.length; from += size) blocks.push(rows.slice(from, from + size));
  return blocks;
}

/**
 * The nanoseconds per row in each repetition: `stages` for every stage, `totals` for calls without
 * stage measurements, and `observed` for calls with stage measurements.
 */
interface Repetitions {
  readonly answers: readonly Answer[];
  readonly stages: readonly number[][];
  readonly totals: number[];
  readonly observed: number[];
}

async function repeat(
  subject: ProfileSubject,
  blocks: readonly (readonly Row[])[],
  durationMs: number,
  rows: number,
): Promise<Repetitions> {
  const nanoseconds = new Float64Array(subject.record.stages.length);
  const timed = () => blocks.flatMap((block) => subject.answerTimed(block, nanoseconds));
  const plain = () => {
    for (const block of blocks) subject.answer(block);
  };
  const start = stageNow();
  let passes = 0;
  let answers: readonly Answer[];
  do {
    answers = timed();
    plain();
    passes++;
    await setImmediate();
  } while (stageNow() - start < durationMs * WARM_UP_SHARE);
  const passMs = (stageNow() - start) / passes / 2;
  const each = Math.max(1, Math.ceil(REPETITION_MS / passMs));
  const aRow = 1 / (each * rows);
  const found: Repetitions = { answers, stages: Array.from(nanoseconds, () => []), totals: [], observed: [] };
  do {
    nanoseconds.fill(0);
    found.observed.push(timeOf(timed, each) * aRow);
    nanoseconds.forEach((time, stage) => {
      found.stages[stage]!.push(time * aRow);
    });
    found.totals.push(timeOf(plain, each) * aRow);
    await setImmediate();
  } while (stageNow() - start < durationMs);
  return found;
}

function timeOf(pass: () => void, times: number): number {
  const start = stageNow();
  for (let turn = 0; turn < times; turn++) pass();
  return (stageNow() - start) * 1e6;
}

function rowTime(times: readonly number[]): RowTime {
  const sorted = Float64Array.from(times).sort();
  const middle = (sorted.length - 1) / 2;
  return { min: sorted[0]!, median: (sorted[Math.floor(middle)]! + sorted[Math.ceil(middle)]!) / 2 };
}
