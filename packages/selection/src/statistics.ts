import type { Missing } from './ask.js';

/** Counts of one candidate of a selection. */
export interface CandidateStatistics {
  /** How often the policy asked the candidate. */
  readonly asked: number;
  readonly answered: number;
  /** How often the deadline passed before the answer. */
  readonly late: number;
  /** How often the candidate threw an error or returned undefined. */
  readonly failed: number;
  /** The mean of the losses that feedback reported for the candidate; 0 before any feedback. */
  readonly loss: number;
  /**
   * An estimate of the sum of all losses if the selection had always asked this candidate. Each
   * loss is divided by the probability that the candidate was asked. Rows before the candidate's
   * first feedback count with the loss of the answer that the caller received.
   */
  readonly totalLoss: number;
}

/** Counts of a selection since it was created. */
export interface SelectionStatistics {
  readonly requests: number;
  /** Requests that received an answer, including the fallback. */
  readonly answered: number;
  /** Requests that were answered with the fallback. */
  readonly fallbacks: number;
  /** Requests that failed because they had no answer and the option `fallback` is missing. */
  readonly unanswered: number;
  /** Feedback from which the policy has learned. */
  readonly feedback: number;
  /** Feedback that was rejected with an error. */
  readonly refused: number;
  /** Predictions that wait for feedback. */
  readonly waiting: number;
  /** Predictions that were forgotten before their feedback arrived. */
  readonly expired: number;
  /** Lines that the log did not accept. */
  readonly logErrors: number;
  /**
   * The sum of the confidences of all predictions. A prediction for which no candidate answered
   * adds 0.
   */
  readonly totalConfidence: number;
  /** The mean loss of the answers with feedback. */
  readonly loss: number;
  /** The sum of the losses of the answers with feedback. */
  readonly totalLoss: number;
  /**
   * The sum of the losses of the answers, minus the smallest `totalLoss` of all candidates. It is
   * negative if the selection had smaller losses than every candidate alone.
   */
  readonly regret: number;
  readonly candidates: Readonly<Record<string, CandidateStatistics>>;
}

interface Counts {
  asked: number;
  answered: number;
  late: number;
  failed: number;
  observed: number;
  loss: number;
  totalLoss: number;
}

/** Counts the requests, answers and losses of a selection. */
export class SelectionCounters {
  requests = 0;
  fallbacks = 0;
  unanswered = 0;
  feedback = 0;
  refused = 0;
  #loss = 0;
  #answered = 0;
  #confidence = 0;
  readonly #candidates = new Map<string, Counts>();

  answered(confidence: number): void {
    this.#answered++;
    this.#confidence += confidence;
  }

  asked(names: readonly string[], missing: readonly Missing[]): void {
    for (const name of names) {
      const counts = this.#of(name);
      counts.asked++;
      counts.answered++;
    }
    for (const { candidate, reason } of missing) {
      const counts = this.#of(candidate);
      counts.answered--;
      counts[reason]++;
    }
  }

  observed(
    loss: number,
    losses: Readonly<Record<string, number>>,
    probabilities: Readonly<Record<string, number>>,
  ): void {
    this.feedback++;
    this.#loss += loss;
    for (const [name, one] of Object.entries(losses)) {
      const counts = this.#of(name);
      // For the rows before its first feedback, a candidate has the loss of the answers.
      if (counts.observed === 0) counts.totalLoss = this.#loss - loss;
      counts.observed++;
      counts.loss += one;
      counts.totalLoss += one / (probabilities[name] ?? 1);
    }
  }

  view(waiting: number, expired: number, logErrors: number): SelectionStatistics {
    const candidates = Object.fromEntries(
      [...this.#candidates].map(([name, { observed, loss, ...counts }]) => [
        name,
        { ...counts, loss: observed === 0 ? 0 : loss / observed },
      ]),
    );
    const { requests, fallbacks, unanswered, feedback, refused } = this;
    const best = Math.min(...Array.from(this.#candidates.values(), ({ totalLoss }) => totalLoss), Infinity);
    return {
      ...{ requests, answered: this.#answered, fallbacks, unanswered, feedback, refused, waiting, expired, logErrors },
      totalConfidence: this.#confidence,
      loss: feedback === 0 ? 0 : this.#loss / feedback,
      totalLoss: this.#loss,
      regret: best === Infinity ? 0 : this.#loss - best,
      candidates,
    };
  }

  #of(name: string): Counts {
    const known = this.#candidates.get(name);
    if (known !== undefined) return known;
    const fresh = { asked: 0, answered: 0, late: 0, failed: 0, observed: 0, loss: 0, totalLoss: 0 };
    this.#candidates.set(name, fresh);
    return fresh;
  }
}
