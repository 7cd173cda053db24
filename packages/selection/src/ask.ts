import type { Clock } from 'brezel';
import type { Predict } from './candidates.js';
import { selectionError } from './errors.js';

/** A candidate that was asked but has no answer, and the reason. */
export interface Missing {
  readonly candidate: string;
  /**
   * `late`: the deadline passed before the answer. `failed`: the candidate threw an error or
   * returned undefined.
   */
  readonly reason: 'late' | 'failed';
  /** The error of a candidate that failed. */
  readonly error?: unknown;
}

/** The answers that arrived in time, and the candidates without an answer. */
export interface Asked<Answer> {
  readonly answers: Map<string, Answer>;
  readonly missing: Missing[];
}

/** The candidates to ask for one row, and how long to wait. */
export interface AskRequest<Row, Answer> {
  readonly row: Row;
  readonly candidates: readonly (readonly [name: string, predict: Predict<Row, Answer>])[];
  readonly clock: Clock;
  readonly deadlineMs: number | undefined;
  readonly signal: AbortSignal | undefined;
}

/**
 * Asks candidates and waits until all have answered or failed, or the deadline passes. The signals
 * of late candidates abort. If all candidates answer immediately, returns the result instead of a
 * promise.
 *
 * @throws the reason of the caller's signal.
 */
export function ask<Row, Answer>(request: AskRequest<Row, Answer>): Asked<Answer> | Promise<Asked<Answer>> {
  const { row, candidates, deadlineMs, signal } = request;
  signal?.throwIfAborted();
  const answers = new Map<string, Answer>();
  const missing: Missing[] = [];
  const pending = new Map<string, PromiseLike<Answer>>();
  let stop: AbortController | undefined;
  const options = {
    ...(deadlineMs === undefined ? undefined : { deadlineMs }),
    /**
     * Creates the signal only when a candidate reads this property, because most candidates are
     * plans that answer immediately.
     */
    get signal() {
      stop ??= new AbortController();
      return stop.signal;
    },
  };
  for (const [name, predict] of candidates) {
    try {
      const answer = predict(row, options);
      if (isPending(answer)) pending.set(name, answer);
      else take(name, answer, answers, missing);
    } catch (error) {
      missing.push({ candidate: name, reason: 'failed', error });
    }
  }
  if (pending.size === 0) return { answers, missing };
  return wait(request, pending, { answers, missing }, (reason) => stop?.abort(reason));
}

/** Waits for the pending answers until all have arrived or the deadline passes. */
function wait<Row, Answer>(
  { clock, deadlineMs, signal }: AskRequest<Row, Answer>,
  pending: Map<string, PromiseLike<Answer>>,
  asked: Asked<Answer>,
  abort: (reason: unknown) => void,
): Promise<Asked<Answer>> {
  return new Promise((resolve, reject) => {
    const late = () => {
      for (const candidate of pending.keys()) asked.missing.push({ candidate, reason: 'late' });
      const reason = new DOMException('the deadline of the selection passed', 'TimeoutError');
      finish(() => resolve(asked));
      abort(reason);
    };
    const timer = deadlineMs === undefined ? undefined : clock.setTimeout(late, deadlineMs);
    const cancelled = () => {
      finish(() => reject(signal!.reason));
      abort(signal!.reason);
    };
    let isFinished = false;
    function finish(end: () => void): void {
      isFinished = true;
      timer?.cancel();
      signal?.removeEventListener('abort', cancelled);
      end();
    }
    const settled = (name: string, record: () => void) => {
      if (isFinished) return;
      pending.delete(name);
      record();
      if (pending.size === 0) finish(() => resolve(asked));
    };
    signal?.addEventListener('abort', cancelled, { once: true });
    for (const [name, answer] of [...pending])
      answer.then(
        (value) => settled(name, () => take(name, value, asked.answers, asked.missing)),
        (error) => settled(name, () => asked.missing.push({ candidate: name, reason: 'failed', error })),
      );
  });
}

/**
 * Stores the answer of a candidate. If the answer is undefined, adds the candidate to `missing`
 * instead.
 */
function take<Answer>(name: string, answer: Answer, answers: Map<string, Answer>, missing: Missing[]): void {
  if (answer !== undefined) answers.set(name, answer);
  else {
    const error = selectionError('ERR_SELECTION_CANDIDATE', { expected: 'an answer', received: 'undefined', at: name });
    missing.push({ candidate: name, reason: 'failed', error });
  }
}

const isPending = <Answer>(answer: Answer | PromiseLike<Answer>): answer is PromiseLike<Answer> =>
  typeof (answer as PromiseLike<Answer> | null | undefined)?.then === 'function';
