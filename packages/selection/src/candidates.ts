import type { ModelRegistry } from 'brezel';
import { selectionError } from './errors.js';

/** The options that a candidate receives with a row. */
export interface AskOptions {
  /** Aborts when the answer is no longer needed: at the deadline, or when the caller cancels. */
  readonly signal?: AbortSignal;
  /** The milliseconds until the deadline. The selection ignores later answers. */
  readonly deadlineMs?: number;
}

/** A function that returns the answer to a row, or a promise of the answer. */
export type Predict<Row, Answer> = (row: Row, options: AskOptions) => Answer | PromiseLike<Answer>;

/** An object with a method that answers a row. */
export interface Predictor<Row, Answer> {
  predict: Predict<Row, Answer>;
}

/**
 * A model that a selection may call: a reference to a model of the registry, a function, or an
 * object with `predict`.
 */
export type Candidate<Row, Answer> = string | Predict<Row, Answer> | Predictor<Row, Answer>;

/** The part of a registry that a selection uses. */
export type CandidateRegistry = Pick<ModelRegistry, 'predict' | 'has'>;

/**
 * Returns a function that asks a candidate for an answer.
 * @throws ERR_SELECTION_CANDIDATE
 */
export function predictOf<Row, Answer>(
  name: string,
  candidate: Candidate<Row, Answer>,
  registry: CandidateRegistry | undefined,
): Predict<Row, Answer> {
  checkName(name);
  if (typeof candidate === 'function') return candidate;
  if (typeof candidate === 'string') {
    if (registry === undefined)
      throw selectionError('ERR_SELECTION_CANDIDATE', { expected: 'the option registry', received: 'none', at: name });
    if (!registry.has(candidate)) {
      const expected = 'a model of the registry';
      throw selectionError('ERR_SELECTION_CANDIDATE', { expected, received: `"${candidate}"`, at: name });
    }
    return (row, options) => registry.predict(candidate, row as never, options) as Promise<Answer>;
  }
  if (typeof candidate?.predict === 'function') return (row, options) => candidate.predict(row, options);
  const expected = 'a reference, a function or an object with predict';
  throw selectionError('ERR_SELECTION_CANDIDATE', { expected, received: shown(candidate), at: name });
}

/**
 * Throws for a name that cannot be a field of an object, because states and logs are objects with a
 * field for each candidate.
 */
function checkName(name: string): void {
  if (name !== '' && !(name in Object.prototype) && name.length <= 200) return;
  const expected = 'a name of 1 to 200 characters that is not a property of every object';
  throw selectionError('ERR_SELECTION_CANDIDATE', { expected, received: JSON.stringify(name.slice(0, 200)) });
}

const shown = (value: unknown): string => (value === null ? 'null' : typeof value);
