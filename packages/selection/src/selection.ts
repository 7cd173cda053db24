import { randomUUID } from 'node:crypto';
import { systemClock } from 'brezel';
import { type Asked, ask, type Missing } from './ask.js';
import { type Candidate, type Predict, predictOf } from './candidates.js';
import { defaultVote, joined } from './combine.js';
import { selectionError } from './errors.js';
import type { Json } from './json.js';
import { SelectionLog, votesOf } from './log.js';
import {
  checkCall,
  checkFeedback,
  checkOptions,
  checkWeights,
  contextOf,
  type FeedbackOptions,
  type SelectionCallOptions,
  type SelectionOptions,
  type WeightsOptions,
} from './options.js';
import { exp4 } from './policies/exp4.js';
import type { Combined, Selected, SelectionPolicy } from './policy.js';
import { Queries, type Query } from './queries.js';
import { memoryState } from './state/memory.js';
import type { SelectionStore } from './state/store.js';
import { SelectionCounters, type SelectionStatistics } from './statistics.js';

/** The result of `Selection.predict` for one row. */
export interface Chosen<Answer> {
  /** The combined answer of the candidates, or the fallback. */
  readonly answer: Answer;
  /**
   * The share of the asked candidates that agree with the combined answer, from 0 to 1. It is 0 if
   * no candidate answered.
   */
  readonly confidence: number;
  readonly isFallback: boolean;
  /** The candidates that were asked. */
  readonly asked: readonly string[];
  /** The candidates without an answer, with the reason. */
  readonly missing: readonly Missing[];
  /** The identifier of this prediction. Pass it to `feedback`. */
  readonly query: string;
}

/** The losses that the policy has learned from one feedback. */
export interface Learned {
  /** The loss of the answer that the caller received. */
  readonly loss: number;
  /** The loss of each candidate of the policy's first choice. */
  readonly losses: Readonly<Record<string, number>>;
}

/**
 * Answers rows with the candidates that a policy chooses, and learns from feedback.
 * `createSelection` creates a selection.
 */
export class Selection<Row, Answer, Truth> {
  readonly #options: SelectionOptions<Row, Answer, Truth>;
  readonly #policy: SelectionPolicy;
  readonly #store: SelectionStore;
  readonly #clock;
  readonly #random: () => number;
  readonly #queries: Queries<Answer>;
  readonly #log: SelectionLog;
  readonly #counters = new SelectionCounters();
  readonly #candidates = new Map<string, Predict<Row, Answer>>();
  readonly #prefix: string;
  #names: readonly string[] = [];
  #initial: Json | undefined;
  /** The read of the shared state that calls of `weights` wait for together. */
  #reading: Promise<Json> | undefined;

  constructor(options: SelectionOptions<Row, Answer, Truth>) {
    checkOptions(options);
    const { policy = exp4(), state = memoryState(), clock = systemClock, random = Math.random } = options;
    this.#options = options;
    this.#policy = policy;
    this.#store = state;
    this.#clock = clock;
    this.#random = random;
    this.#queries = new Queries(clock, options.maxQueries ?? 100_000, options.feedbackMs ?? 3_600_000);
    this.#log = new SelectionLog(options.log);
    this.#prefix = `${options.name ?? 'selection'}/${policy.name}/`;
    for (const [name, candidate] of Object.entries(options.candidates)) this.add(name, candidate);
  }

  /**
   * Adds a candidate. Depending on the policy, the candidate starts with the mean weight of the
   * other candidates, or without observations.
   *
   * @throws ERR_SELECTION_CANDIDATE for an invalid candidate, or if another candidate has the name.
   */
  add(name: string, candidate: Candidate<Row, Answer>): void {
    if (this.#candidates.has(name)) {
      const expected = 'a name that no other candidate has';
      throw selectionError('ERR_SELECTION_CANDIDATE', { expected, received: JSON.stringify(name) });
    }
    this.#candidates.set(name, predictOf(name, candidate, this.#options.registry));
    this.#changed();
  }

  /**
   * Removes a candidate from all requests that start after this call. The state still contains its
   * weight, which applies again if you add the candidate again. Returns false for an unknown name.
   */
  remove(name: string): boolean {
    const wasThere = this.#candidates.delete(name);
    this.#changed();
    return wasThere;
  }

  #changed(): void {
    this.#names = [...this.#candidates.keys()];
    this.#initial = undefined;
  }

  /** Returns the names of the candidates. */
  names(): string[] {
    return [...this.#names];
  }

  /**
   * Answers one row. If all chosen candidates fail, the policy chooses again among the other
   * candidates.
   *
   * Cost: the predictions of the asked candidates, and a few microseconds.
   *
   * @throws ERR_SELECTION_NO_ANSWER if no candidate answers, or the confidence is too low, and the
   * option `fallback` is missing; ERR_SELECTION_OPTION, ERR_SELECTION_FEATURES,
   * ERR_SELECTION_POLICY, ERR_SELECTION_VOTE, ERR_SELECTION_STATE, or the reason of the signal.
   * @example
   * const app = createSelection({ candidates, loss });
   * const { answer, query } = await app.predict('a charming film', { context: 'user 7' });
   * await app.feedback(query, 1);
   */
  async predict(row: Row, options: SelectionCallOptions = {}): Promise<Chosen<Answer>> {
    checkCall(options);
    const context = contextOf(options.context);
    const deadlineMs = options.deadlineMs ?? this.#options.deadlineMs;
    const end = this.#endAfter(deadlineMs);
    const reading = this.#read(context);
    const initial = () => this.#policy.init(this.#names);
    const state = reading instanceof Promise ? await this.#before(end, reading, initial, options.signal) : reading;
    const features = this.#featuresOf(row);
    this.#counters.requests++;
    const { first, selected, asked, failed } = await this.#ask(row, state, features, end, options.signal);
    const combined = asked.answers.size === 0 ? undefined : this.#combine(state, selected, asked);
    const hasFailed = failed.length > 0;
    const missing = hasFailed ? [...failed, ...asked.missing] : asked.missing;
    const { fallback, leastConfidence = 0 } = this.#options;
    const isFallback = combined === undefined || combined.confidence < leastConfidence;
    if (isFallback) {
      if (fallback === undefined) throw this.#unanswered(missing);
      this.#counters.fallbacks++;
    }
    const answer = isFallback ? (fallback as Answer) : combined.answer;
    const confidence = combined?.confidence ?? 0;
    this.#counters.answered(confidence);
    const names = hasFailed ? [...failed.map(({ candidate }) => candidate), ...selected.ask] : selected.ask;
    const query = randomUUID();
    const { answers } = asked;
    this.#queries.add(query, { context, first, answers, answer, features, at: this.#clock.now() });
    const chosen = { answer, confidence, isFallback, asked: names, missing, query };
    if (this.#log.isOn) this.#logPrediction(chosen, context, features, answers, first);
    return chosen;
  }

  /**
   * Computes the losses of a prediction from the right answer, and lets the policy learn from them.
   * Each prediction accepts feedback once.
   *
   * @param truth the first argument of the option `loss`.
   * @throws ERR_SELECTION_QUERY, ERR_SELECTION_REPEATED, ERR_SELECTION_CONTEXT; ERR_SELECTION_LOSS
   * and ERR_SELECTION_STATE, after which the prediction still accepts feedback. If the store does
   * not answer within `deadlineMs`, the call also fails with ERR_SELECTION_STATE, but the store may
   * still write the feedback: the prediction accepts feedback again only if the store fails.
   */
  async feedback(query: string, truth: Truth, options: FeedbackOptions = {}): Promise<Learned> {
    const applying = this.#apply(query, truth, options);
    // `options` may be null, which #apply rejects.
    const deadlineMs = (options as FeedbackOptions | null)?.deadlineMs;
    const late = () => {
      const received = `no answer of the store within ${deadlineMs} ms`;
      const hint = 'the store may still write the feedback; the query accepts feedback again if the store fails';
      throw selectionError('ERR_SELECTION_STATE', { received, hint });
    };
    return await this.#before(this.#endAfter(deadlineMs), applying, late);
  }

  async #apply(query: string, truth: Truth, options: FeedbackOptions): Promise<Learned> {
    let taken: Query<Answer> | undefined;
    try {
      checkFeedback(options);
      const context = contextOf(options.context);
      taken = this.#queries.take(query);
      if (context !== undefined && context !== taken.context)
        throw selectionError('ERR_SELECTION_CONTEXT', { expected: shown(taken.context), received: shown(context) });
      const learned = this.#losses(truth, taken);
      await this.#observe(taken, learned.losses);
      this.#counters.observed(learned.loss, learned.losses, taken.first.probabilities);
      this.#log.write({ kind: 'feedback', selection: this.#name, query, losses: learned.losses, loss: learned.loss });
      return learned;
    } catch (error) {
      this.#counters.refused++;
      if (taken !== undefined) this.#queries.reopen(query, taken);
      throw error;
    }
  }

  /**
   * Returns whether this selection made the prediction `query` and has not forgotten it. The
   * prediction may already have feedback. A program with several selections finds with this method
   * the selection to which feedback belongs.
   */
  hasQuery(query: string): boolean {
    return this.#queries.has(query);
  }

  /**
   * Returns the weight of each candidate in the policy's choices, or undefined if the policy has
   * no weights, or if the store does not answer within `deadlineMs`. Calls without a context that
   * wait at the same time share one read of the store.
   *
   * @throws ERR_SELECTION_OPTION, and the errors of the store.
   */
  async weights(options: WeightsOptions = {}): Promise<Readonly<Record<string, number>> | undefined> {
    checkWeights(options);
    const context = contextOf(options.context);
    const reading = context === undefined ? this.#sharedRead() : this.#read(context);
    const end = this.#endAfter(options.deadlineMs);
    const state = reading instanceof Promise ? await this.#before(end, reading, () => undefined) : reading;
    return state === undefined ? undefined : this.#policy.weights?.(state, this.#names);
  }

  stats(): SelectionStatistics {
    return this.#counters.view(this.#queries.size, this.#queries.expired, this.#log.errors);
  }

  get #name(): string {
    return this.#options.name ?? 'selection';
  }

  /**
   * Returns the state of a context. If the context has no state yet, returns the state that it
   * inherits from all contexts.
   */
  #read(context: string | undefined): Json | Promise<Json> {
    const initial = () => {
      this.#initial ??= this.#policy.init(this.#names);
      return this.#initial;
    };
    const global = () => {
      const state = this.#store.read(this.#key(undefined));
      return state instanceof Promise ? state.then((one) => one ?? initial()) : (state ?? initial());
    };
    if (context === undefined) return global();
    const inherited = () => {
      const shared = global();
      return shared instanceof Promise ? shared.then((one) => this.#inherited(one)) : this.#inherited(shared);
    };
    const state = this.#store.read(this.#key(context));
    return state instanceof Promise ? state.then((one) => one ?? inherited()) : (state ?? inherited());
  }

  /** Returns the state with which a new context starts. */
  #inherited(shared: Json): Json {
    return this.#policy.inherit?.(shared) ?? shared;
  }

  /** Reads the shared state, or returns the read that is pending. */
  #sharedRead(): Json | Promise<Json> {
    if (this.#reading !== undefined) return this.#reading;
    const reading = this.#read(undefined);
    if (!(reading instanceof Promise)) return reading;
    this.#reading = reading;
    const clear = () => {
      this.#reading = undefined;
    };
    reading.then(clear, clear);
    return reading;
  }

  /** Returns the time on the clock after a number of milliseconds; Infinity for no deadline. */
  #endAfter(deadlineMs: number | undefined): number {
    return deadlineMs === undefined ? Infinity : this.#clock.now() + deadlineMs;
  }

  #key(context: string | undefined): string {
    return this.#prefix + (context === undefined ? 'global' : `context/${context}`);
  }

  /**
   * Waits for work of the store until the deadline. If the deadline passes first, settles with the
   * result or the error of `late`.
   *
   * @throws the errors of the work, and the reason of the signal.
   */
  #before<T, Late>(end: number, work: Promise<T>, late: () => Late, signal?: AbortSignal): Promise<T | Late> {
    if (end === Infinity && signal === undefined) return work;
    return new Promise((resolve, reject) => {
      const timer = end === Infinity ? undefined : this.#clock.setTimeout(onLate, Math.max(0, end - this.#clock.now()));
      const onAbort = () => finish(() => reject(signal!.reason));
      signal?.addEventListener('abort', onAbort, { once: true });
      work.then(
        (value) => finish(() => resolve(value)),
        (error) => finish(() => reject(error)),
      );
      if (signal?.aborted) onAbort();
      function finish(settle: () => void): void {
        timer?.cancel();
        signal?.removeEventListener('abort', onAbort);
        settle();
      }
      function onLate(): void {
        finish(() => resolve(new Promise((answer) => answer(late()))));
      }
    });
  }

  /**
   * Asks the candidates that the policy chooses. If all of them fail before the deadline, lets the
   * policy choose among the other candidates. Stops when a candidate answers, when the deadline
   * passes, or when no candidate is left.
   *
   * The policy learns only from its first choice. Further choices depend on failures, so their
   * probabilities differ from the probabilities that the policy logs.
   */
  async #ask(
    row: Row,
    state: Json,
    features: readonly number[] | undefined,
    end: number,
    signal: AbortSignal | undefined,
  ) {
    const clock = this.#clock;
    const failed: Missing[] = [];
    let first: Selected | undefined;
    let left = this.#names;
    for (;;) {
      if (left.length === 0) {
        const asked: Asked<Answer> = { answers: new Map(), missing: [] };
        return { first: first ?? NOBODY, selected: NOBODY, asked, failed };
      }
      const selected = this.#select(state, left, features);
      first ??= selected;
      const candidates = selected.ask.map((name) => [name, this.#candidates.get(name)!] as const);
      const deadlineMs = end === Infinity ? undefined : Math.max(0, end - clock.now());
      const asking = ask({ row, candidates, clock, deadlineMs, signal });
      const asked = asking instanceof Promise ? await asking : asking;
      this.#counters.asked(selected.ask, asked.missing);
      const isLate = asked.missing.some(({ reason }) => reason === 'late');
      if (asked.answers.size > 0 || isLate) return { first, selected, asked, failed };
      failed.push(...asked.missing);
      // A candidate may have been removed while other candidates were asked.
      left = left.filter((name) => !selected.ask.includes(name) && this.#candidates.has(name));
    }
  }

  /**
   * Returns the features of a row, or undefined if the selection has no option `features`.
   * @throws ERR_SELECTION_FEATURES if the option throws.
   */
  #featuresOf(row: Row): readonly number[] | undefined {
    try {
      return this.#options.features?.(row);
    } catch (cause) {
      throw selectionError('ERR_SELECTION_FEATURES', { received: 'an error of the option features', cause });
    }
  }

  /**
   * Lets the policy choose candidates, and checks its choice.
   * @throws ERR_SELECTION_POLICY
   */
  #select(state: Json, candidates: readonly string[], features: readonly number[] | undefined): Selected {
    const request =
      features === undefined ? { candidates, random: this.#random } : { candidates, random: this.#random, features };
    const selected = this.#policy.select(state, request);
    const isValid = (name: string) => {
      const probability = selected.probabilities[name]!;
      return candidates.includes(name) && probability > 0 && probability <= 1 + 1e-9;
    };
    if (selected.ask.length > 0 && selected.ask.every(isValid)) return selected;
    const received = JSON.stringify(selected).slice(0, 200);
    throw selectionError('ERR_SELECTION_POLICY', { received, at: `select of ${this.#policy.name}` });
  }

  /**
   * Lets the policy combine the answers.
   * @throws ERR_SELECTION_POLICY, ERR_SELECTION_VOTE
   */
  #combine(state: Json, { ask: asked }: Selected, { answers }: Asked<Answer>): Combined<Answer> {
    const join = (weights: Readonly<Record<string, number>>) => joined(this.#options, answers, weights, asked.length);
    return this.#policy.combine(state, { asked, answers, join });
  }

  #unanswered(missing: readonly Missing[]): Error {
    this.#counters.unanswered++;
    const reasons = missing.map(({ candidate, reason }) => `${candidate}: ${reason}`).join(', ');
    const cause = new AggregateError(
      missing.map(({ error }) => error).filter((error) => error !== undefined),
      reasons,
    );
    return selectionError('ERR_SELECTION_NO_ANSWER', { received: reasons || 'no candidates', cause });
  }

  /**
   * Returns the loss of each candidate of the first choice, and the loss of the answer.
   * @throws ERR_SELECTION_LOSS
   */
  #losses(truth: Truth, { first, answers, answer }: Query<Answer>): Learned {
    const lossOf = (one: Answer, at: string) => {
      const loss = this.#lossOf(truth, one, at);
      if (typeof loss === 'number' && loss >= 0 && loss <= 1) return loss;
      throw selectionError('ERR_SELECTION_LOSS', { expected: 'a loss from 0 to 1', received: `${loss}`, at });
    };
    const { missingLoss = 1 } = this.#options;
    const losses = first.ask.map((name): [string, number] => {
      const one = answers.get(name);
      return [name, one === undefined ? missingLoss : lossOf(one, name)];
    });
    return { loss: lossOf(answer, 'the combined answer'), losses: Object.fromEntries(losses) };
  }

  /**
   * Calls the option `loss`.
   * @throws ERR_SELECTION_LOSS if the option throws. A wrong truth is the most likely reason.
   */
  #lossOf(truth: Truth, answer: Answer, at: string): number {
    try {
      return this.#options.loss(truth, answer);
    } catch (cause) {
      const expected = 'a loss from 0 to 1';
      throw selectionError('ERR_SELECTION_LOSS', { expected, received: 'an error of the option loss', at, cause });
    }
  }

  /**
   * Lets the policy learn from losses. Changes the shared state and the state of the context
   * together, as one atomic change.
   */
  async #observe(query: Query<Answer>, losses: Readonly<Record<string, number>>): Promise<void> {
    const { context, first, features } = query;
    const { probabilities } = first;
    const observation = features === undefined ? { losses, probabilities } : { losses, probabilities, features };
    const policy = this.#policy;
    const initial = policy.init(this.#names);
    const keys = [this.#key(undefined), ...(context === undefined ? [] : [this.#key(context)])];
    await this.#store.update(keys, ([global = initial, own = this.#inherited(global)]) => {
      const next = [policy.observe(global, observation)];
      if (context !== undefined) next.push(policy.observe(own, observation));
      return next;
    });
  }

  #logPrediction(
    { query, missing, isFallback, confidence }: Chosen<Answer>,
    context: string | undefined,
    features: readonly number[] | undefined,
    answers: ReadonlyMap<string, Answer>,
    { probabilities }: Selected,
  ): void {
    // With `combine: 'mean'`, the answer is not the answer of a candidate, so a replay cannot use
    // votes.
    const isVote = this.#options.combine !== 'mean';
    const votes = isVote ? votesOf(answers, this.#options.vote ?? defaultVote) : undefined;
    this.#log.write({
      ...{ kind: 'prediction', selection: this.#name, policy: this.#policy.name, query },
      ...(context === undefined ? undefined : { context }),
      ...(features === undefined ? undefined : { features }),
      probabilities,
      answers: Object.fromEntries(answers),
      ...(votes === undefined ? undefined : { votes }),
      missing: missing.map(({ candidate, reason }) => ({ candidate, reason })),
      isFallback,
      confidence,
    });
  }
}

const NOBODY: Selected = { ask: [], probabilities: {} };
const shown = (context: string | undefined): string => (context === undefined ? 'no context' : JSON.stringify(context));

/**
 * Creates a selection. A selection asks the candidates that a policy chooses and combines their
 * answers. From feedback, the policy learns which candidates have small losses (Clipper, NSDI '17,
 * section 5).
 *
 * @throws ERR_SELECTION_OPTION, ERR_SELECTION_CANDIDATE
 * @example
 * const app = createSelection({
 *   candidates: { short: (row) => row.length < 9, calm: (row) => !row.includes('!') },
 *   policy: exp3({ eta: 0.1 }),
 *   loss: (truth, answer) => (truth === answer ? 0 : 1),
 * });
 * const { answer, query } = await app.predict('a charming film');
 * await app.feedback(query, true);
 * await app.weights(); // { short: 0.5..., calm: 0.4... }
 */
export const createSelection = <Row, Answer, Truth = Answer>(
  options: SelectionOptions<Row, Answer, Truth>,
): Selection<Row, Answer, Truth> => new Selection(options);
