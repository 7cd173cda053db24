import { selectionError } from './errors.js';
import type { Combined } from './policy.js';

/** The value for which a candidate votes: a label, a class index, or true or false. */
export type Vote = string | number | bigint | boolean;

/** Options that define how answers are compared and combined. */
export interface CombineOptions<Answer> {
  /**
   * How the selection combines the answers of several candidates. `vote` (default): candidates with
   * the same vote add their weights, and the vote with the greatest sum wins. `mean`: the weighted
   * mean of all numbers in the answers.
   */
  readonly combine?: 'vote' | 'mean';
  /**
   * Returns the value for which an answer votes. Default: the answer itself if it is a text, a
   * number or a boolean. Otherwise its only field, or its field `label` or `output_label`.
   */
  readonly vote?: (answer: Answer) => Vote;
  /**
   * Returns whether an answer agrees with the combined answer. The confidence is the share of
   * candidates that agree. Default: both have the same vote; with `combine: 'mean'`, every answer
   * agrees.
   */
  readonly agrees?: (answer: Answer, combined: Answer) => boolean;
}

/**
 * Returns the combined answer of several candidates, and its confidence. Ignores the answers of
 * candidates that have no weight in `weights`.
 *
 * @param asked the number of candidates that were asked. Candidates without an answer decrease the
 * confidence.
 * @throws ERR_SELECTION_VOTE
 */
export function joined<Answer>(
  options: CombineOptions<Answer>,
  answers: ReadonlyMap<string, Answer>,
  weights: Readonly<Record<string, number>>,
  asked: number,
): Combined<Answer> {
  const weighted = [...answers].filter(([name]) => weights[name] !== undefined);
  const [first] = weighted;
  if (first === undefined) {
    const expected = 'a weight for a candidate that answered';
    throw selectionError('ERR_SELECTION_POLICY', { expected, received: JSON.stringify(Object.keys(weights)) });
  }
  // A single answer is not compared with other answers, so it may have any structure.
  if (weighted.length === 1) return { answer: first[1], confidence: 1 / asked };
  const numbers = weighted.map(([name]) => weights[name]!);
  const values = weighted.map(([, answer]) => answer);
  const { agrees = options.combine === 'mean' ? () => true : undefined } = options;
  const answer = options.combine === 'mean' ? (meanOf(values, numbers) as Answer) : winnerOf(options, values, numbers);
  const voteOf = options.vote ?? defaultVote;
  const agree = agrees ?? ((one: Answer, other: Answer) => voteOf(one) === voteOf(other));
  return { answer, confidence: values.filter((value) => agree(value, answer)).length / asked };
}

/**
 * Returns an answer with the vote whose weights have the greatest sum. If several answers have this
 * vote, returns the answer with the greatest weight.
 */
function winnerOf<Answer>(
  options: CombineOptions<Answer>,
  answers: readonly Answer[],
  weights: readonly number[],
): Answer {
  const voteOf = options.vote ?? defaultVote;
  const sums = new Map<Vote, { sum: number; top: number; answer: Answer }>();
  for (let at = 0; at < answers.length; at++) {
    const [answer, weight] = [answers[at]!, weights[at]!];
    const vote = voteOf(answer);
    const before = sums.get(vote);
    const isTop = before === undefined || weight > before.top;
    sums.set(vote, {
      sum: (before?.sum ?? 0) + weight,
      top: isTop ? weight : before.top,
      answer: isTop ? answer : before.answer,
    });
  }
  let winner: { readonly sum: number; readonly answer: Answer } | undefined;
  for (const one of sums.values()) if (winner === undefined || one.sum > winner.sum) winner = one;
  return winner!.answer;
}

const LABELS = ['label', 'output_label'];

/**
 * Returns the vote of an answer if the caller has not set the option `vote`: the answer itself, its
 * only field, or its field `label` or `output_label`.
 * @throws ERR_SELECTION_VOTE for other answers.
 */
export function defaultVote(answer: unknown): Vote {
  if (isVote(answer)) return answer;
  if (typeof answer === 'object' && answer !== null) {
    const record = answer as Readonly<Record<string, unknown>>;
    const names = Object.keys(record);
    const name = names.length === 1 ? names[0]! : LABELS.find((label) => Object.hasOwn(record, label));
    if (name !== undefined && isVote(record[name])) return record[name];
  }
  const received =
    typeof answer === 'object' && answer !== null ? `an object with ${Object.keys(answer).slice(0, 5)}` : typeof answer;
  throw selectionError('ERR_SELECTION_VOTE', { expected: 'an answer with one label', received });
}

const isVote = (value: unknown): value is Vote =>
  typeof value === 'string' || typeof value === 'number' || typeof value === 'bigint' || typeof value === 'boolean';

/**
 * Returns the weighted mean of the numbers in answers with the same structure. Copies all other
 * values from the answer with the greatest weight.
 *
 * @throws ERR_SELECTION_VOTE if the structures differ.
 */
function meanOf(values: readonly unknown[], weights: readonly number[]): unknown {
  const heaviest = values[weights.indexOf(Math.max(...weights))];
  if (typeof heaviest === 'number') return meanNumber(values, weights);
  if (isList(heaviest)) {
    const mean = Array.from(heaviest, (_, at) =>
      meanOf(
        values.map((value) => itemOf(value, at, heaviest.length)),
        weights,
      ),
    );
    if (Array.isArray(heaviest)) return mean;
    return new (heaviest.constructor as new (numbers: unknown[]) => unknown)(mean);
  }
  if (typeof heaviest !== 'object' || heaviest === null) return heaviest;
  const fields = Object.keys(heaviest).map((name) => [
    name,
    meanOf(
      values.map((value) => fieldOf(value, name)),
      weights,
    ),
  ]);
  return Object.fromEntries(fields);
}

function meanNumber(values: readonly unknown[], weights: readonly number[]): number {
  let [sum, total] = [0, 0];
  for (let at = 0; at < values.length; at++) {
    const value = values[at];
    if (typeof value !== 'number') throw differentForm('a number', value);
    sum += value * weights[at]!;
    total += weights[at]!;
  }
  return sum / total;
}

type List = readonly unknown[] | Float32Array | Float64Array | Int32Array;
const isList = (value: unknown): value is List =>
  Array.isArray(value) || value instanceof Float32Array || value instanceof Float64Array || value instanceof Int32Array;

function itemOf(value: unknown, at: number, length: number): unknown {
  if (isList(value) && value.length === length) return value[at];
  throw differentForm(`a list of ${length}`, value);
}

function fieldOf(value: unknown, name: string): unknown {
  if (typeof value === 'object' && value !== null && Object.hasOwn(value, name))
    return (value as Record<string, unknown>)[name];
  throw differentForm(`an object with ${name}`, value);
}

const differentForm = (expected: string, value: unknown) =>
  selectionError('ERR_SELECTION_VOTE', {
    expected,
    received: isList(value) ? `a list of ${value.length}` : typeof value,
  });
