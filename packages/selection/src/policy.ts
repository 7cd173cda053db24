import type { Json } from './json.js';

/** The data about a request with which a policy chooses candidates. */
export interface SelectRequest {
  /** The names of the available candidates. There is at least one. */
  readonly candidates: readonly string[];
  /** Returns a random number from 0 up to but not including 1. */
  readonly random: () => number;
  /** The features of the row, if the selection has the option `features`. */
  readonly features?: readonly number[];
}

/** The candidates that a policy has chosen for one row. */
export interface Selected {
  /** The names of the candidates to ask. */
  readonly ask: readonly string[];
  /**
   * For each available candidate, the probability that the policy asks it for this row.
   * `replayFeedback` reads these numbers from the log to estimate the losses of other policies.
   */
  readonly probabilities: Readonly<Record<string, number>>;
}

/** The answers to one row, which a policy combines. */
export interface CombineRequest<Answer> {
  /** The names of the candidates that were asked. */
  readonly asked: readonly string[];
  /** The answers that arrived in time, by the name of the candidate. There is at least one. */
  readonly answers: ReadonlyMap<string, Answer>;
  /**
   * Combines the answers with these weights by the selection's option `combine`: a weighted vote or
   * a weighted mean. Ignores candidates without a weight.
   */
  readonly join: (weights: Readonly<Record<string, number>>) => Combined<Answer>;
}

/** The combined answer to one row, and its confidence. */
export interface Combined<Answer> {
  readonly answer: Answer;
  /** The share of the asked candidates that agree with the answer, from 0 to 1. */
  readonly confidence: number;
}

/** The data from which a policy learns: the feedback about one row. */
export interface Observation {
  /** The loss of each candidate that was asked, from 0 to 1. */
  readonly losses: Readonly<Record<string, number>>;
  /** The probabilities that `select` returned for the row. */
  readonly probabilities: Readonly<Record<string, number>>;
  /** The features of the row, if the selection has the option `features`. */
  readonly features?: readonly number[];
}

/**
 * A policy chooses the candidates to ask for each row, and learns from their losses (Clipper, NSDI
 * '17, section 5). Its functions are pure, and its state is plain JSON, so that any store can
 * contain the state.
 *
 * @typeParam State the state that the policy learns.
 * @example
 * const first = {
 *   name: 'first',
 *   init: () => null,
 *   select: (_state, { candidates: [one] }) => ({ ask: [one], probabilities: { [one]: 1 } }),
 *   combine: (_state, { asked, join }) => join({ [asked[0]]: 1 }),
 *   observe: (state) => state,
 * };
 */
export interface SelectionPolicy<State extends Json = Json> {
  /** The name of the policy in logs and statistics. */
  readonly name: string;
  /** Returns the state before any feedback. */
  init(candidates: readonly string[]): State;
  /** Chooses the candidates to ask for one row. */
  select(state: State, request: SelectRequest): Selected;
  /** Combines the answers of one row. */
  combine<Answer>(state: State, request: CombineRequest<Answer>): Combined<Answer>;
  /**
   * Returns the state after the feedback of one row. The function must not change the old state.
   */
  observe(state: State, observation: Observation): State;
  /**
   * Returns the state with which a new context starts. A policy may give the experience from all
   * contexts less weight, so that a context with other losses learns faster. Without this function,
   * a context starts with the shared state.
   *
   * @param shared the state that all contexts share.
   */
  inherit?(shared: State): State;
  /**
   * Returns the weight of each candidate in the policy's choices, for statistics. A policy may omit
   * this function.
   */
  weights?(state: State, candidates: readonly string[]): Readonly<Record<string, number>>;
}

/** Returns a choice of one candidate, drawn at random with the given probabilities. */
export function drawOne(
  candidates: readonly string[],
  probabilities: readonly number[],
  random: () => number,
): Selected {
  let left = random();
  let drawn = candidates.length - 1;
  for (let at = 0; at < candidates.length; at++) {
    left -= probabilities[at]!;
    if (left < 0) {
      drawn = at;
      break;
    }
  }
  // Because of rounding, the loop may draw no candidate, and the probability of the last candidate
  // may be 0. Then the candidate with the greatest probability is drawn.
  if (!(probabilities[drawn]! > 0)) drawn = probabilities.indexOf(Math.max(...probabilities));
  return { ask: [candidates[drawn]!], probabilities: byName(candidates, probabilities) };
}

/**
 * Returns a choice of the candidate with the greatest score. Of several candidates with this score,
 * chooses the first.
 */
export function greatest(candidates: readonly string[], scores: readonly number[]): Selected {
  const best = scores.indexOf(Math.max(...scores));
  return {
    ask: [candidates[best]!],
    probabilities: byName(
      candidates,
      candidates.map((_, at) => (at === best ? 1 : 0)),
    ),
  };
}

/** Returns the answer of the only candidate that was asked. */
export const onlyAnswer = <Answer>(_state: unknown, { asked, join }: CombineRequest<Answer>): Combined<Answer> =>
  join({ [asked[0]!]: 1 });

/** Returns an object with the number of each candidate under its name. */
export function byName(candidates: readonly string[], numbers: readonly number[]): Record<string, number> {
  const record: Record<string, number> = {};
  for (let at = 0; at < candidates.length; at++) record[candidates[at]!] = numbers[at]!;
  return record;
}
