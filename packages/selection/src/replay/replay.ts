import { joined, type Vote } from '../combine.js';
import { selectionError } from '../errors.js';
import type { Json } from '../json.js';
import type { Selected, SelectionPolicy } from '../policy.js';
import { type Estimate, type Estimates, Estimator, meanOf } from './estimate.js';
import { eventsOf, type LoggedEvent } from './events.js';

/** Options of `replayFeedback`. */
export interface ReplayOptions {
  /** The policies to compare, by names that you choose. The report has the same names. */
  readonly policies: Readonly<Record<string, SelectionPolicy>>;
  /**
   * The name of the selection whose lines are read. You must set it if the log has lines of several
   * selections.
   */
  readonly selection?: string;
  /** Returns a random number from 0 up to but not including 1. Default `Math.random`. */
  readonly random?: () => number;
}

/** The estimated losses of one policy. */
export interface ReplayedPolicy extends Estimates {
  readonly name: string;
  /**
   * The number of events from which the policy has learned. If the log has the loss of only one
   * candidate per prediction, the policy learns only from a random part of the events: the events
   * in which it might have asked the same candidate.
   */
  readonly learned: number;
}

/** The estimated losses of several policies over one log. */
export interface ReplayReport {
  /** The number of predictions with feedback. */
  readonly events: number;
  /** The mean loss of the answers that callers received. */
  readonly logged: Estimate;
  readonly policies: readonly ReplayedPolicy[];
}

/**
 * Estimates the loss of other policies on the requests of a log.
 *
 * A log of `exp4` has the losses of all candidates, so the losses of other policies are exact,
 * except for fallback answers. A log of `exp3`, `epsilonGreedy` or `thompson` has the loss of one
 * candidate per prediction, so losses are weighted by the logged probabilities.
 *
 * Cost: the time of the policies, and the memory of the log without its answers.
 *
 * @param lines the lines of the log.
 * @throws ERR_SELECTION_LOG
 * @example
 * // const lines = createInterface({ input: createReadStream('log.jsonl') });
 * const { policies } = await replayFeedback(lines, { policies: { exp3: exp3(), exp4: exp4() } });
 */
export async function replayFeedback(
  lines: Iterable<string> | AsyncIterable<string>,
  { policies, selection, random = Math.random }: ReplayOptions,
): Promise<ReplayReport> {
  const events = await eventsOf(lines, selection);
  if (events.length === 0)
    throw selectionError('ERR_SELECTION_LOG', { expected: 'a prediction with feedback', received: 'none' });
  const sum = events.reduce((total, { loss }) => total + loss, 0);
  const squares = events.reduce((total, { loss }) => total + loss * loss, 0);
  return {
    events: events.length,
    logged: meanOf(events.length, sum, squares),
    policies: Object.entries(policies).map(([name, policy]) => new Replay(name, policy, random).run(events)),
  };
}

/** Replays the log with one policy. */
class Replay {
  readonly #name: string;
  readonly #policy: SelectionPolicy;
  readonly #random: () => number;
  readonly #states = new Map<string | undefined, Json>();
  readonly #estimator = new Estimator();
  /** The losses of each candidate so far, for the doubly robust estimate. */
  readonly #seen = new Map<string, { count: number; loss: number }>();
  #learned = 0;

  constructor(name: string, policy: SelectionPolicy, random: () => number) {
    this.#name = name;
    this.#policy = policy;
    this.#random = random;
  }

  run(events: readonly LoggedEvent[]): ReplayedPolicy {
    // The policy learns from an event with the probability least x weight. The factor `least` keeps
    // this probability at most 1.
    const least = events.reduce((sofar, event) => Math.min(sofar, leastProbability(event)), 1);
    for (const event of events) {
      const names = Object.keys(event.probabilities);
      const selected = this.#select(event, names);
      const isComplete = names.every((name) => event.losses[name] !== undefined);
      if (isComplete) this.#addComplete(event, selected);
      else this.#addPartial(event, selected, least);
      for (const [name, loss] of Object.entries(event.losses)) this.#see(name, loss);
    }
    return { name: this.#name, learned: this.#learned, ...this.#estimator.estimates() };
  }

  #select({ context, features }: LoggedEvent, candidates: readonly string[]): Selected {
    const state = this.#stateOf(context, candidates);
    const request = { candidates, random: this.#random };
    return this.#policy.select(state, features === undefined ? request : { ...request, features });
  }

  /** Returns the state of a context. A new context inherits its state from all contexts. */
  #stateOf(context: string | undefined, candidates: readonly string[]): Json {
    const own = this.#states.get(context);
    if (own !== undefined) return own;
    const shared = this.#states.get(undefined) ?? this.#policy.init(candidates);
    return context === undefined ? shared : (this.#policy.inherit?.(shared) ?? shared);
  }

  /**
   * Adds an event for which the log has the losses of all candidates, so that the loss of this
   * policy is known.
   */
  #addComplete(event: LoggedEvent, selected: Selected): void {
    const loss =
      selected.ask.length > 1
        ? this.#lossOfEnsemble(event, selected)
        : sumOf(selected.probabilities, (name, probability) => probability * event.losses[name]!);
    this.#estimator.add(1, loss, loss);
    this.#learn(event, selected);
  }

  /**
   * Adds an event for which the log has only the losses of the asked candidates. Weights these
   * losses by the logged probabilities.
   */
  #addPartial(event: LoggedEvent, selected: Selected, least: number): void {
    if (selected.ask.length > 1) {
      const expected = `the losses of all candidates, which ${this.#name} asks`;
      throw selectionError('ERR_SELECTION_LOG', { expected, received: `those of ${Object.keys(event.losses)}` });
    }
    const weightOf = (name: string) => (selected.probabilities[name] ?? 0) / event.probabilities[name]!;
    const weight = sumOf(event.losses, weightOf);
    const weighted = sumOf(event.losses, (name, loss) => weightOf(name) * loss);
    const model = sumOf(selected.probabilities, (name, probability) => probability * this.#meanOf(name));
    const robust = model + sumOf(event.losses, (name, loss) => weightOf(name) * (loss - this.#meanOf(name)));
    this.#estimator.add(weight, weighted, robust);
    const [asked] = Object.keys(event.losses);
    if (asked !== undefined && this.#random() < least * weightOf(asked))
      this.#learn({ ...event, losses: { [asked]: event.losses[asked]! } }, { ...selected, ask: [asked] });
  }

  #learn({ context, losses, features }: LoggedEvent, { ask, probabilities }: Selected): void {
    const own = Object.fromEntries(ask.map((name) => [name, losses[name]!]));
    const observation =
      features === undefined ? { losses: own, probabilities } : { losses: own, probabilities, features };
    const keys = new Set([undefined, context]);
    const next = [...keys].map((key) => {
      const state = this.#stateOf(key, Object.keys(probabilities));
      return [key, this.#policy.observe(state, observation)] as const;
    });
    for (const [key, state] of next) this.#states.set(key, state);
    this.#learned++;
  }

  /**
   * Returns the loss of the answer that this policy would combine from several candidates: the loss
   * of a candidate with the winning vote.
   */
  #lossOfEnsemble({ losses, votes, context }: LoggedEvent, { ask, probabilities }: Selected): number {
    if (votes === undefined)
      throw selectionError('ERR_SELECTION_LOG', { expected: 'the votes of the answers', received: 'none' });
    const answers = new Map<string, Vote>(Object.entries(votes));
    if (answers.size === 0) return 1;
    const state = this.#stateOf(context, Object.keys(probabilities));
    const join = (weights: Readonly<Record<string, number>>) => joined<Vote>({}, answers, weights, ask.length);
    const { answer } = this.#policy.combine(state, { asked: ask, answers, join });
    const [winner] = [...answers].find(([, vote]) => vote === answer)!;
    return losses[winner]!;
  }

  #meanOf(name: string): number {
    const { count, loss } = this.#seen.get(name) ?? { count: 0, loss: 0 };
    return count === 0 ? 0.5 : loss / count;
  }

  #see(name: string, loss: number): void {
    const before = this.#seen.get(name) ?? { count: 0, loss: 0 };
    this.#seen.set(name, { count: before.count + 1, loss: before.loss + loss });
  }
}

const leastProbability = ({ losses, probabilities }: LoggedEvent): number =>
  Math.min(1, ...Object.keys(losses).map((name) => probabilities[name]!));

function sumOf(record: Readonly<Record<string, number>>, term: (name: string, value: number) => number): number {
  let sum = 0;
  for (const [name, value] of Object.entries(record)) sum += term(name, value);
  return sum;
}
