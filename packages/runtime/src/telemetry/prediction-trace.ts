import { channel } from 'node:diagnostics_channel';
import type { Clock } from '@brezel/core';
import type { EngineChoice } from '../execute/engine-name.js';
import type { RegisteredPlan, ServedPlan } from '../plans/registered-plan.js';
import type { PredictionVerb } from './latencies.js';

/**
 * Channels of `node:diagnostics_channel` that report the progress of a prediction. All messages of
 * a call are the same object. Each later message sets more fields of the object.
 *
 * | channel | when |
 * |---|---|
 * | `brezel:predict:queued` | the rows wait for a turn of the event loop or for other rows |
 * | `brezel:predict:start` | the rows start to run |
 * | `brezel:predict:end` | the call has its answers |
 * | `brezel:predict:error` | the call failed |
 */
const channels = {
  queued: channel('brezel:predict:queued'),
  start: channel('brezel:predict:start'),
  end: channel('brezel:predict:end'),
  error: channel('brezel:predict:error'),
};

/**
 * Where rows run. `here`: on the calling thread; backends run black boxes. `worker`: on an isolated
 * worker, for operators with a deadline.
 */
export type ExecutionLocation = 'here' | 'executors' | 'device' | 'worker';

/** The message that subscribers of the channels receive. */
export interface PredictionMessage {
  /** Name of the plan. */
  readonly plan: string;
  /**
   * The registered plan, or the first plan of a merged `predictMany` call.
   * `runtime.has(registered)` returns whether the plan belongs to your runtime.
   */
  readonly registered: RegisteredPlan;
  readonly verb: PredictionVerb;
  readonly rows: number;
  /**
   * The engine of `predict`, `predictBatch` and `predictColumns`, and why it was selected. Also set
   * for each plan that `predictManyBatch` runs alone. Otherwise undefined.
   */
  readonly choice: EngineChoice | undefined;
  /**
   * Where the rows run; set in the message `start` and later ones. With a prediction cache,
   * executors run only rows without a cached answer, if these rows have enough work.
   */
  readonly where: ExecutionLocation | undefined;
  /**
   * Time from the call until its rows started to run; set in the message `start` and later ones.
   */
  readonly queuedNanoseconds: number | undefined;
  /** Time from the call to its end; set in the messages `end` and `error`. */
  readonly nanoseconds: number | undefined;
  readonly error: unknown;
}

const isListenedTo = (): boolean =>
  channels.end.hasSubscribers ||
  channels.start.hasSubscribers ||
  channels.queued.hasSubscribers ||
  channels.error.hasSubscribers;

/**
 * Returns whether a `predictSync` call is observed. If the call is not observed, this check costs
 * only a few comparisons.
 */
export const observesSync = ({ latencies }: ServedPlan): boolean => latencies?.takesSample() || isListenedTo();

/**
 * Returns a trace for a call, or undefined if neither a subscriber nor the latency measurement
 * needs one.
 */
export function traceOf(
  record: ServedPlan,
  verb: PredictionVerb,
  rows: number,
  choice?: EngineChoice,
  plans: readonly ServedPlan[] = [record],
): PredictionTrace | undefined {
  if (plans[0]!.latencies === undefined && !isListenedTo()) return undefined;
  return new PredictionTrace(record, verb, rows, choice, plans);
}

/** The trace of one call: it measures times, publishes messages and records the latency. */
export class PredictionTrace implements PredictionMessage {
  readonly plan: string;
  readonly registered: RegisteredPlan;
  readonly verb: PredictionVerb;
  readonly rows: number;
  readonly choice: EngineChoice | undefined;
  where: ExecutionLocation | undefined;
  queuedNanoseconds: number | undefined;
  nanoseconds: number | undefined;
  error: unknown;
  readonly #plans: readonly ServedPlan[];
  readonly #clock: Clock;
  readonly #start: number;

  /**
   * @param plans the plans that were merged into `record`. The time of the call is recorded for
   * each of these plans, because all answers arrive together.
   */
  constructor(
    record: ServedPlan,
    verb: PredictionVerb,
    rows: number,
    choice?: EngineChoice,
    plans: readonly ServedPlan[] = [record],
  ) {
    this.#clock = record.clock;
    this.#start = this.#clock.now();
    this.#plans = plans;
    this.plan = record.name;
    this.registered = plans[0]!;
    this.verb = verb;
    this.rows = rows;
    this.choice = choice;
  }

  queued(): void {
    channels.queued.publish(this);
  }

  started(where: ExecutionLocation = 'here'): void {
    this.where = where;
    this.queuedNanoseconds = this.#elapsed();
    channels.start.publish(this);
  }

  ended(): void {
    this.nanoseconds = this.#elapsed();
    for (const { latencies } of this.#plans) latencies?.record(this.verb, this.nanoseconds);
    channels.end.publish(this);
  }

  failed(error: unknown): void {
    this.nanoseconds = this.#elapsed();
    this.error = error;
    channels.error.publish(this);
  }

  /** Runs a function and ends the trace with its outcome. */
  around<T>(run: () => T): T {
    try {
      this.started();
      const result = run();
      this.ended();
      return result;
    } catch (error) {
      this.failed(error);
      throw error;
    }
  }

  /**
   * Runs an asynchronous function and ends the trace with its outcome. `run` must call
   * `trace.started()` when the rows start to run.
   */
  async aroundLater<T>(run: (trace: PredictionTrace) => Promise<T>): Promise<T> {
    try {
      const result = await run(this);
      this.ended();
      return result;
    } catch (error) {
      this.failed(error);
      throw error;
    }
  }

  #elapsed(): number {
    return (this.#clock.now() - this.#start) * 1e6;
  }
}
