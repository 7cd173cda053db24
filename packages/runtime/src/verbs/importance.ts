import { type OutputPort, optionNames, sizeOf } from '@brezel/core';
import { runtimeError } from '../errors.js';
import { blockSignal } from '../execute/bounded-concurrency.js';
import { type AnswerElementChoice, chosenOutput } from '../execute/contributions/answer-target.js';
import { type BackgroundOptions, backgroundRows } from '../execute/contributions/background.js';
import { explainError } from '../execute/contributions/errors.js';
import type { Contributions } from '../execute/contributions/explain-rows.js';
import { type ClassImportance, ImportanceSums } from '../execute/contributions/importance-sums.js';
import type { MethodOptions } from '../execute/contributions/sampled.js';
import { type CallOptions, callLimits } from '../features/admission/call-limits.js';
import { answerStream, checkStream, type RowSource } from '../features/stream/answer-stream.js';
import { checkRuntimeOptions } from '../option-names.js';
import type { RegisteredPlan } from '../plans/registered-plan.js';
import { type Explaining, explainableRecord, explainChoices } from './contributions.js';
import type { Serving } from './serving.js';

/** Options of `importance`. */
export interface ImportanceOptions extends AnswerElementChoice, BackgroundOptions, MethodOptions, CallOptions {
  /** The number of features to list for each class. Default: all features. */
  readonly top?: number | undefined;
  /**
   * The number of sampled rows whose explanations are returned. Default 0; at most 10 000. If the
   * samples of all classes together list more than 2^21 contributions (about 256 MiB), the call
   * fails with ERR_EXPLAIN_LIMIT.
   */
  readonly sample?: number | undefined;
  /** The seed of the sample and of sampled explanations, an integer. Default 1. */
  readonly seed?: number | undefined;
}

/** How much each feature matters, over many rows. */
export interface Importance {
  /** Name of the explained output. */
  readonly output: string;
  /** The number of rows. */
  readonly rows: number;
  /** The importance for each class, or for the only element. */
  readonly classes: readonly ClassImportance[];
}

const names = optionNames<ImportanceOptions>({
  output: true,
  class: true,
  deadlineMs: true,
  signal: true,
  top: true,
  sample: true,
  seed: true,
  background: true,
  method: true,
  samples: true,
});

/** Rows are read from the source in blocks of this size, which limits the memory of a call. */
const ROWS_AT_ONCE = 64;
const MOST_SAMPLED = 10_000;
/**
 * The largest number of contributions in the samples of one call, for all classes together. They
 * take about 256 MiB. A call that needs more fails with ERR_EXPLAIN_LIMIT.
 */
const MOST_SAMPLED_CONTRIBUTIONS = 2 ** 21;

/** Implements `runtime.importance`. */
export async function importanceOfRows(
  serving: Serving,
  explaining: Explaining,
  plan: RegisteredPlan,
  rows: RowSource,
  options: ImportanceOptions,
): Promise<Importance> {
  checkRuntimeOptions(options, names, 'importance');
  const { top, sample = 0, seed = 1, method, samples, background: compared } = options;
  checkInteger('sample', sample, 0, MOST_SAMPLED);
  checkInteger('seed', seed, -(2 ** 31), 2 ** 32);
  const record = explainableRecord(serving, plan, { top, method, samples, background: compared }, 'importance');
  checkStream(record.name, rows, {});
  const limits = callLimits(record.name, options, serving.clock);
  const background = backgroundRows(record, options);
  const port = chosenOutput(record.outputs, options);
  const choices = classesOf(port, options).map((one) => ({ output: port.name, class: one, method, samples, seed }));
  const sums = new SumsOfClasses(record.name, choices.length, sample, seed);
  let count = 0;
  // The signal also ends the wait for a row that does not arrive before the deadline.
  using ended = blockSignal(limits, () => limits?.check(count));
  const whys = answerStream(rows, { maxBatch: ROWS_AT_ONCE, signal: ended.signal }, async (block, first) => {
    const call = { choices, limits, first, background };
    // The queue never rejects these rows, because the call reads them at its own pace.
    const place = serving.queue.enter(record.name, block.length, true);
    try {
      const take = (next: readonly Contributions[], choice: number) => sums.add(choice, next);
      await explainChoices(serving, explaining, record, block, { ...call, place }, take);
    } finally {
      place.leave();
    }
    return block.map(() => undefined);
  });
  for await (const _ of whys) count += 1;
  return {
    output: port.name,
    rows: count,
    classes: choices.map(({ class: one }, at) => ({
      ...(one !== undefined && { class: one }),
      ...sums.result(at, top),
    })),
  };
}

/** Adds up the contributions for each class, and limits the samples of all classes together. */
class SumsOfClasses {
  readonly #plan: string;
  readonly #classes: readonly ImportanceSums[];
  #sampled = 0;

  constructor(plan: string, classes: number, sample: number, seed: number) {
    this.#plan = plan;
    this.#classes = Array.from({ length: classes }, () => new ImportanceSums(sample, seed));
  }

  /** @throws ERR_EXPLAIN_LIMIT */
  add(at: number, whys: readonly Contributions[]): void {
    const sums = this.#classes[at]!;
    this.#sampled -= sums.sampledContributions;
    for (const why of whys) sums.add(why);
    this.#sampled += sums.sampledContributions;
    if (this.#sampled > MOST_SAMPLED_CONTRIBUTIONS)
      throw explainError('ERR_EXPLAIN_LIMIT', {
        expected: `at most ${MOST_SAMPLED_CONTRIBUTIONS} contributions in the samples of all classes`,
        received: String(this.#sampled),
        at: this.#plan,
      });
  }

  result(at: number, top = Number.POSITIVE_INFINITY) {
    return this.#classes[at]!.result(top);
  }
}

/** Returns the classes to explain: the class of the options, or all classes of the output. */
function classesOf({ type }: OutputPort, { class: one }: ImportanceOptions): readonly (number | string | undefined)[] {
  if (one !== undefined) return [one];
  if (type.kind === 'map') return type.keys;
  const size = type.kind === 'vector' ? sizeOf(type) : 1;
  return size === 1 ? [undefined] : Array.from({ length: size }, (_, at) => at);
}

function checkInteger(name: string, value: unknown, least: number, most: number): void {
  if (Number.isInteger(value) && (value as number) >= least && (value as number) <= most) return;
  throw runtimeError('ERR_RUNTIME_OPTION', {
    expected: `an integer from ${least} to ${most}`,
    received: String(value),
    at: `importance, ${name}`,
  });
}
