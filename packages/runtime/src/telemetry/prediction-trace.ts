import { channel } from 'node:diagnostics_channel';
import type { EngineChoice } from '../execute/engine-name.js';
import type { RegisteredPlan, ServedPlan } from '../plans/registered-plan.js';
import type { PredictionVerb } from './latencies.js';

/**
 * The steps of a prediction, as channels of `node:diagnostics_channel`. One object goes through all
 * steps of a call, and is filled on the way.
 *
 * | channel | when |
 * |---|---|
 * | `brezel:predict:queued` | its rows wait: for a turn of the event loop, or for others |
 * | `brezel:predict:start` | its rows begin to run |
 * | `brezel:predict:end` | it has its answers |
 * | `brezel:predict:error` | it has none |
 */
const channels = {
  queued: channel('brezel:predict:queued'),
  start: channel('brezel:predict:start'),
  end: channel('brezel:predict:end'),
  error: channel('brezel:predict:error'),
};

/**
 * `here`: on the calling thread, but for black boxes. `worker`: on a thread that may be ended, for
 * operators with a deadline.
 */
export type ExecutionLocation = 'here' | 'executors' | 'device' | 'worker';

/** What subscribers of the channels get. */
export interface PredictionMessage {
  /** Name of the plan. */
  readonly plan: string;
  /**
   * The plan itself, the first of those that `predictMany` merged: `runtime.has(registered)` tells
   * whether it is one of yours.
   */
  readonly registered: RegisteredPlan;
  readonly verb: PredictionVerb;
  readonly rows: number;
  /**
   * The engine of `predict` and `predictBatch`, and why; other verbs have no choice: streams go in
   * blocks, the others are `request-response`.
   */
  readonly choice: EngineChoice | undefined;
  /**
   * Where its rows run; from `start` on. Of a plan with a cache, executors get what is not kept, if
   * that is worth the way.
   */
  readonly where: ExecutionLocation | undefined;
  /** From the call until its rows began to run; from `start` on. */
  readonly queuedNanoseconds: number | undefined;
  /** From the call on; at `end` and `error`. */
  readonly nanoseconds: number | undefined;
  readonly error: unknown;
}

const isListenedTo = (): boolean =>
  channels.end.hasSubscribers ||
  channels.start.hasSubscribers ||
  channels.queued.hasSubscribers ||
  channels.error.hasSubscribers;

/**
 * Whether a `predictSync` is to be observed: not, most of the time, and then it costs a few
 * comparisons.
 */
export const observesSync = ({ latencies }: ServedPlan): boolean => latencies?.takesSample() || isListenedTo();

/** A trace where somebody wants to know. */
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

/** One call on its way. */
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
  readonly #start = performance.now();

  /**
   * @param plans that `record` was merged of; the time counts at each of them: none has its answer
   * before the others.
   */
  constructor(
    record: ServedPlan,
    verb: PredictionVerb,
    rows: number,
    choice?: EngineChoice,
    plans: readonly ServedPlan[] = [record],
  ) {
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

  /** Ends with what `run` gives. */
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

  /** The same for what comes later; `run` says when it starts. */
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
    return (performance.now() - this.#start) * 1e6;
  }
}
