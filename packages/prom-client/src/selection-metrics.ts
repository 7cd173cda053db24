import type { Metric } from 'brezel';

/** Counts of one candidate, from `stats()` of a selection. */
export interface CandidateCounts {
  readonly asked: number;
  readonly late: number;
  readonly failed: number;
  readonly loss: number;
}

/** Counts of a selection, from its `stats()`. */
export interface SelectionCounts {
  readonly requests: number;
  readonly answered: number;
  readonly fallbacks: number;
  readonly unanswered: number;
  readonly feedback: number;
  readonly refused: number;
  readonly waiting: number;
  readonly expired: number;
  readonly totalConfidence: number;
  readonly totalLoss: number;
  readonly regret: number;
  readonly candidates: Readonly<Record<string, CandidateCounts>>;
}

/** One selection at the time of a scrape. */
export interface SelectionReading {
  readonly name: string;
  readonly counts: SelectionCounts;
  /** Undefined if the policy has no weights, or if the store of the selection fails. */
  readonly weights: Readonly<Record<string, number>> | undefined;
}

type SelectionMetric = Metric<readonly SelectionReading[]>;
type Kind = SelectionMetric['kind'];

/** Returns a metric with one reading for each selection. */
const whole = (kind: Kind, name: string, help: string, of: (counts: SelectionCounts) => number): SelectionMetric => ({
  ...{ name: `selection.${name}`, kind, help, labels: ['selection'] },
  read: (selections) => selections.map(({ name: selection, counts }) => ({ labels: { selection }, value: of(counts) })),
});

/** Returns a metric with one reading for each candidate of each selection. */
const candidates = (
  kind: Kind,
  name: string,
  help: string,
  of: (reading: SelectionReading) => Iterable<readonly [candidate: string, value: number]>,
): SelectionMetric => ({
  ...{ name: `selection.${name}`, kind, help, labels: ['selection', 'candidate'] },
  read: (selections) =>
    selections.flatMap((reading) =>
      Array.from(of(reading), ([candidate, value]) => ({ labels: { selection: reading.name, candidate }, value })),
    ),
});

const each =
  (of: (counts: CandidateCounts) => number) =>
  ({ counts }: SelectionReading) =>
    Object.entries(counts.candidates).map(([name, one]) => [name, of(one)] as const);

/** The metrics of selections. Sums are counters, so that a query can compute means of a period. */
export const selectionMetrics: readonly SelectionMetric[] = [
  whole('counter', 'requests', 'Rows sent to a selection', ({ requests }) => requests),
  whole('counter', 'answers', 'Rows that were answered, including fallbacks', ({ answered }) => answered),
  whole('counter', 'fallbacks', 'Rows that were answered with the fallback', ({ fallbacks }) => fallbacks),
  whole('counter', 'unanswered', 'Rows without an answer', ({ unanswered }) => unanswered),
  whole('counter', 'confidence', 'Sum of the confidences of the answers', ({ totalConfidence }) => totalConfidence),
  whole('counter', 'feedback', 'Feedback from which the policy has learned', ({ feedback }) => feedback),
  whole('counter', 'feedback.refused', 'Feedback that was rejected', ({ refused }) => refused),
  whole('counter', 'expired', 'Predictions that were forgotten without feedback', ({ expired }) => expired),
  whole('gauge', 'waiting', 'Predictions that wait for feedback', ({ waiting }) => waiting),
  whole('counter', 'loss', 'Sum of the losses of the answers with feedback', ({ totalLoss }) => totalLoss),
  whole(
    'gauge',
    'regret',
    'Sum of the losses, minus the smallest estimated sum of one candidate',
    ({ regret }) => regret,
  ),
  candidates('gauge', 'candidate.weight', 'Weight of a candidate in the choices of the policy', ({ weights }) =>
    Object.entries(weights ?? {}),
  ),
  candidates(
    'counter',
    'candidate.requests',
    'Rows for which a candidate was asked',
    each(({ asked }) => asked),
  ),
  candidates(
    'counter',
    'candidate.late',
    'Rows without an answer at the deadline',
    each(({ late }) => late),
  ),
  candidates(
    'counter',
    'candidate.failures',
    'Rows for which a candidate failed',
    each(({ failed }) => failed),
  ),
  candidates(
    'gauge',
    'candidate.loss',
    'Mean loss of a candidate',
    each(({ loss }) => loss),
  ),
];
