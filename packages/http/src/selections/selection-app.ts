// The part of a selection that the server uses. The packages @brezel/http and @brezel/selection do
// not depend on each other: the result of `createSelection` has these methods.

/** Options of a prediction, from the query of the URL and from the connection. */
export interface SelectOptions {
  /** The user, session or place for which the selection learns separately. */
  readonly context?: string;
  readonly deadlineMs?: number;
  readonly signal?: AbortSignal;
}

/** Options of feedback, from the query of the URL. */
export interface FeedbackOptions {
  readonly context?: string;
  readonly deadlineMs: number;
}

/** A candidate without an answer. */
export interface MissingCandidate {
  readonly candidate: string;
  readonly reason: 'late' | 'failed';
  /** The error of a candidate that failed. */
  readonly error?: unknown;
}

/** The answer of a selection to one row. */
export interface SelectedAnswer {
  readonly answer: unknown;
  readonly confidence: number;
  readonly isFallback: boolean;
  readonly asked: readonly string[];
  readonly missing: readonly MissingCandidate[];
  /** The identifier of the prediction, for `feedback`. */
  readonly query: string;
}

/** The losses that a selection has learned from one feedback, each from 0 to 1. */
export interface FeedbackLosses {
  readonly loss: number;
  readonly losses: Readonly<Record<string, number>>;
}

/** Counts of one candidate. */
export interface CandidateCounts {
  readonly asked: number;
  readonly answered: number;
  readonly late: number;
  readonly failed: number;
  /** The mean loss of the candidate; 0 before any feedback. */
  readonly loss: number;
}

/** Counts of a selection since it was created. */
export interface SelectionCounts {
  readonly requests: number;
  readonly answered: number;
  readonly fallbacks: number;
  readonly unanswered: number;
  readonly feedback: number;
  readonly refused: number;
  readonly waiting: number;
  readonly expired: number;
  /** The sum of the confidences of all answers. */
  readonly totalConfidence: number;
  /** The sum of the losses of the answers with feedback. */
  readonly totalLoss: number;
  readonly regret: number;
  readonly candidates: Readonly<Record<string, CandidateCounts>>;
}

/**
 * A selection that the server offers at `POST /select/NAME`. `createSelection` of
 * `@brezel/selection` returns such an object.
 */
export interface SelectionApp {
  predict(row: unknown, options: SelectOptions): Promise<SelectedAnswer>;
  feedback(query: string, truth: unknown, options: FeedbackOptions): Promise<FeedbackLosses>;
  /** Returns whether the selection made a prediction and has not forgotten it. */
  hasQuery(query: string): boolean;
  /** Returns the names of the candidates. */
  names(): readonly string[];
  /**
   * Returns the weight of each candidate. Returns undefined if the policy has no weights, or if the
   * store does not answer within `deadlineMs`.
   */
  weights(options: { readonly deadlineMs: number }): Promise<Readonly<Record<string, number>> | undefined>;
  stats(): SelectionCounts;
}

/** The selections of a server, by name. A map also holds names such as `__proto__` safely. */
export type NamedSelections = ReadonlyMap<string, SelectionApp>;
