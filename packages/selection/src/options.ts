import { type Clock, checkOptionNames, optionNames } from 'brezel';
import type { Candidate, CandidateRegistry } from './candidates.js';
import type { CombineOptions } from './combine.js';
import { selectionError } from './errors.js';
import type { LogTarget } from './log.js';
import { within } from './policies/numbers.js';
import type { SelectionPolicy } from './policy.js';
import type { SelectionStore } from './state/store.js';

/**
 * The candidates of a selection, how it chooses among them, and its answer if no candidate answers.
 */
export interface SelectionOptions<Row, Answer, Truth> extends CombineOptions<Answer> {
  /** The models among which the policy chooses, by name. */
  readonly candidates: Readonly<Record<string, Candidate<Row, Answer>>>;
  /** The registry of the candidates that are references. */
  readonly registry?: CandidateRegistry;
  /** Returns the loss of an answer, from 0 (right) to 1 (wrong). */
  readonly loss: (truth: Truth, answer: Answer) => number;
  /** The policy, which chooses the candidates to ask. Default `exp4()`. */
  readonly policy?: SelectionPolicy;
  /**
   * Milliseconds after which the selection combines the answers that have arrived. Default: no
   * deadline.
   */
  readonly deadlineMs?: number;
  /**
   * The answer if no candidate answers, or if the confidence is too low. Default: `predict` fails
   * instead.
   */
  readonly fallback?: Answer;
  /**
   * The smallest confidence of an answer, from 0 to 1. If an answer has a smaller confidence, the
   * caller gets the fallback. Default 0.
   */
  readonly leastConfidence?: number;
  /** The loss that counts for a candidate that did not answer in time. Default 1. */
  readonly missingLoss?: number;
  /** Returns numbers that describe a row. `linUcb` and your own policies may need them. */
  readonly features?: (row: Row) => readonly number[];
  /** Stores the state of the policy. Default `memoryState()`. */
  readonly state?: SelectionStore;
  /**
   * The name of the selection. Selections that share a state or a log need different names. Default
   * `selection`.
   */
  readonly name?: string;
  /**
   * Receives a line of JSON for each prediction and each feedback. For example, pass a file stream.
   */
  readonly log?: LogTarget;
  /**
   * The largest number of predictions that wait for feedback. If there are more, the oldest
   * predictions are forgotten. Default 100,000.
   */
  readonly maxQueries?: number;
  /** Feedback is accepted for this many milliseconds after a prediction. Default one hour. */
  readonly feedbackMs?: number;
  /** Returns a random number from 0 up to but not including 1. Default `Math.random`. */
  readonly random?: () => number;
  /** The clock of deadlines and of `feedbackMs`. Default: the clock of this process. */
  readonly clock?: Clock;
}

/** Options of `Selection.predict`. */
export interface SelectionCallOptions {
  /**
   * Identifies a user, a session or a place for which the policy learns separately. Default: the
   * policy learns only for all rows together.
   */
  readonly context?: string | number;
  /** Milliseconds until the deadline of this call, instead of the deadline of the selection. */
  readonly deadlineMs?: number;
  readonly signal?: AbortSignal;
}

/** Options of `Selection.feedback`. */
export interface FeedbackOptions {
  /**
   * The context of the prediction. If you pass it, it must equal the context that you passed to
   * `predict`.
   */
  readonly context?: string | number;
  /** Milliseconds to wait for the store. Default: no limit. */
  readonly deadlineMs?: number;
}

/** Options of `Selection.weights`. */
export interface WeightsOptions {
  /** The context whose weights are returned. Default: the weights for all rows together. */
  readonly context?: string | number;
  /** Milliseconds to wait for the store. Default: no limit. */
  readonly deadlineMs?: number;
}

const names = optionNames<SelectionOptions<unknown, unknown, unknown>>({
  candidates: true,
  registry: true,
  loss: true,
  policy: true,
  deadlineMs: true,
  fallback: true,
  leastConfidence: true,
  missingLoss: true,
  features: true,
  state: true,
  name: true,
  log: true,
  maxQueries: true,
  feedbackMs: true,
  random: true,
  clock: true,
  combine: true,
  vote: true,
  agrees: true,
});
const callNames = optionNames<SelectionCallOptions>({ context: true, deadlineMs: true, signal: true });
const feedbackNames = optionNames<FeedbackOptions>({ context: true, deadlineMs: true });
const weightsNames = optionNames<WeightsOptions>({ context: true, deadlineMs: true });

/** The longest delay of a timer in Node.js, in milliseconds. */
const GREATEST_MS = 2 ** 31 - 1;
const AT = 'createSelection';

/**
 * Checks the options of a selection.
 * @throws ERR_SELECTION_OPTION
 */
export function checkOptions<Row, Answer, Truth>(options: SelectionOptions<Row, Answer, Truth>): void {
  checkOptionNames(options, names, (details) => selectionError('ERR_SELECTION_OPTION', details), AT);
  isA('candidates', options.candidates, 'object', 'an object of candidates');
  isA('loss', options.loss, 'function', 'a function');
  if (options.features !== undefined) isA('features', options.features, 'function', 'a function');
  if (options.vote !== undefined) isA('vote', options.vote, 'function', 'a function');
  if (options.agrees !== undefined) isA('agrees', options.agrees, 'function', 'a function');
  if (options.log !== undefined) isA('log', options.log?.write, 'function', 'an object with write');
  if (options.state !== undefined) isA('state', options.state?.update, 'function', 'a store of states');
  if (options.policy !== undefined) isA('policy', options.policy?.observe, 'function', 'a policy');
  const { combine = 'vote' } = options;
  if (combine !== 'vote' && combine !== 'mean') throw wrong('combine', '"vote" or "mean"', combine);
  if (options.leastConfidence !== undefined && options.fallback === undefined)
    throw wrong('leastConfidence', 'the option fallback too', undefined);
  within(AT, 'leastConfidence', options.leastConfidence ?? 0, 0, 1);
  within(AT, 'missingLoss', options.missingLoss ?? 1, 0, 1);
  within(AT, 'maxQueries', options.maxQueries ?? 1, 1, 2 ** 24);
  within(AT, 'feedbackMs', options.feedbackMs ?? 1, 0, Infinity);
  within(AT, 'deadlineMs', options.deadlineMs ?? 1, 0, GREATEST_MS);
}

/**
 * Checks the options of a call of `predict`.
 * @throws ERR_SELECTION_OPTION
 */
export function checkCall(options: SelectionCallOptions): void {
  checkOptionNames(options, callNames, (details) => selectionError('ERR_SELECTION_OPTION', details), 'predict');
  within('predict', 'deadlineMs', options.deadlineMs ?? 1, 0, GREATEST_MS);
}

/**
 * Checks the options of a call of `feedback`.
 * @throws ERR_SELECTION_OPTION
 */
export function checkFeedback(options: FeedbackOptions): void {
  checkOptionNames(options, feedbackNames, (details) => selectionError('ERR_SELECTION_OPTION', details), 'feedback');
  within('feedback', 'deadlineMs', options.deadlineMs ?? 1, 0, GREATEST_MS);
}

/**
 * Checks the options of a call of `weights`.
 * @throws ERR_SELECTION_OPTION
 */
export function checkWeights(options: WeightsOptions): void {
  checkOptionNames(options, weightsNames, (details) => selectionError('ERR_SELECTION_OPTION', details), 'weights');
  within('weights', 'deadlineMs', options.deadlineMs ?? 1, 0, GREATEST_MS);
}

/**
 * Returns a context as text, or undefined if the caller passed none.
 * @throws ERR_SELECTION_OPTION
 */
export function contextOf(context: string | number | undefined): string | undefined {
  if (context === undefined) return undefined;
  const isContext = (typeof context === 'string' && context.length <= 512) || Number.isFinite(context);
  if (!isContext) throw wrong('context', 'a number or a text of at most 512 characters', context);
  return `${context}`;
}

function isA(option: string, value: unknown, type: 'object' | 'function', expected: string): void {
  if (typeof value === type && value !== null) return;
  throw wrong(option, expected, value);
}

const wrong = (option: string, expected: string, value: unknown) => {
  const received =
    value === null ? 'null' : typeof value === 'string' ? JSON.stringify(value.slice(0, 100)) : typeof value;
  return selectionError('ERR_SELECTION_OPTION', { expected, received, at: option });
};
