import type { NamedSelections, SelectionApp } from './selection-app.js';

/** One candidate of a selection, as `GET /statistics` shows it. */
export interface ServedCandidate {
  readonly name: string;
  /** The weight of the candidate in the choices of the policy, without a context. */
  readonly weight?: number;
  /** The share of the requests for which the policy called the candidate, from 0 to 1. */
  readonly share: number;
  readonly asked: number;
  readonly answered: number;
  /** How often the deadline passed before the answer. */
  readonly late: number;
  readonly failed: number;
  /** The mean loss of the candidate; 0 before any feedback. */
  readonly loss: number;
}

/** Counts of one selection since it was created, as `GET /statistics` shows them. */
export interface ServedSelection {
  readonly name: string;
  readonly requests: number;
  /** Requests that received an answer, including the fallback. */
  readonly answered: number;
  readonly fallbacks: number;
  /** Requests that failed because no candidate answered and the selection has no fallback. */
  readonly unanswered: number;
  readonly feedback: number;
  /** Feedback that was rejected with an error. */
  readonly refused: number;
  /** Predictions that wait for feedback. */
  readonly waiting: number;
  /** Predictions that were forgotten before their feedback arrived. */
  readonly expired: number;
  /** The mean confidence of the answers; 0 before any answer. */
  readonly confidence: number;
  /** The mean loss of the answers with feedback; 0 before any feedback. */
  readonly loss: number;
  /**
   * The sum of the losses of the answers, minus the smallest estimated sum of losses that one
   * candidate alone would have caused.
   */
  readonly regret: number;
  /** The candidates, including candidates that were removed. */
  readonly candidates: readonly ServedCandidate[];
}

/** Returns the statistics of all selections. */
export const selectionStatistics = (selections: NamedSelections): Promise<ServedSelection[]> =>
  Promise.all([...selections].map(([name, app]) => statisticsOf(name, app)));

async function statisticsOf(name: string, app: SelectionApp): Promise<ServedSelection> {
  // If the store fails or does not answer, the other numbers are still available.
  const weights = await app.weights({ deadlineMs: WEIGHTS_MS }).catch(() => undefined);
  const { candidates, totalConfidence, totalLoss, ...counts } = app.stats();
  const { requests, answered, fallbacks, unanswered, feedback, refused, waiting, expired, regret } = counts;
  const names = [...new Set([...app.names(), ...Object.keys(candidates)])];
  return {
    ...{ name, requests, answered, fallbacks, unanswered, feedback, refused, waiting, expired },
    confidence: mean(totalConfidence, answered),
    loss: mean(totalLoss, feedback),
    regret,
    candidates: names.map((candidate) => {
      const { asked, loss, late, failed, ...of } = candidates[candidate] ?? NEVER_ASKED;
      const weight = weights?.[candidate];
      return {
        name: candidate,
        ...(weight !== undefined && { weight }),
        share: mean(asked, requests),
        ...{ asked, answered: of.answered, late, failed, loss },
      };
    }),
  };
}

/** How long the statistics wait for the store of a selection. */
const WEIGHTS_MS = 1000;

const NEVER_ASKED = { asked: 0, answered: 0, late: 0, failed: 0, loss: 0 };

const mean = (sum: number, count: number): number => (count === 0 ? 0 : sum / count);
