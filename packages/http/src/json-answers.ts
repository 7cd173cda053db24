import { setImmediate as nextTurn } from 'node:timers/promises';
import { datatypeOf, type ReadyRoute, timeLeft, valueJson } from '@brezel/oip';
import type { Answer, ExplainedAnswer, Row } from 'brezel';
import { answerJson } from './json.js';

/** Answers rows as JSON. The deadline of the request limits the time of all calls together. */
export interface JsonAnswers {
  /** The largest number of rows for `many`. Explanations take more memory, so they allow fewer. */
  readonly rowsAtOnce: number;
  /** Returns the answer to a row as a JSON text. */
  one(row: Row): Promise<string>;
  /** Returns the answers to at most `rowsAtOnce` rows, each as a JSON text. */
  many(rows: readonly Row[]): Promise<string[]>;
  /**
   * Returns the answers to any number of rows as one JSON list. Other requests can run after every
   * `rowsAtOnce` answers of the list. The bytes of the list are outside the JavaScript heap.
   */
  list(rows: readonly Row[]): Promise<Buffer>;
}

/**
 * The largest number of rows that are answered together, and whose JSON is written without a pause
 * for other requests.
 */
const ROWS_AT_ONCE = 256;
/** The same limit for answers with explanations, which take more time and memory. */
const EXPLAINED_ROWS_AT_ONCE = 16;

/**
 * Returns the functions that answer the rows of a request in JSON. With `contributions`, each
 * answer is an object with the fields `answer` and `contributions`.
 *
 * @param contributions the number of contributions to list; undefined for no explanations
 */
export function jsonAnswers(ready: ReadyRoute, contributions?: number): JsonAnswers {
  const isFloat = floatOutputs(ready.description);
  const { route } = ready;
  const options = remaining(ready);
  if (contributions === undefined)
    return written<Answer>({
      rowsAtOnce: ROWS_AT_ONCE,
      one: (row) => route.predict(row, options()),
      many: (rows) => route.predictBatch(rows, options()),
      json: (answer) => answerJson(answer, isFloat),
      signal: ready.options.signal,
    });
  const explaining = () => ({ ...options(), contributions: { top: contributions } });
  return written<ExplainedAnswer>({
    rowsAtOnce: EXPLAINED_ROWS_AT_ONCE,
    one: (row) => route.predict(row, explaining()),
    many: (rows) => route.predictBatch(rows, explaining()),
    json: ({ answer, contributions: why }) =>
      `{"answer":${answerJson(answer, isFloat)},"contributions":${valueJson(why, true)}}`,
    signal: ready.options.signal,
  });
}

/**
 * Returns a function that returns the options of the next prediction. Their `deadlineMs` is the
 * time that is left for the request.
 */
function remaining({ options }: ReadyRoute): () => ReadyRoute['options'] {
  const start = performance.now();
  return () => timeLeft(options, start);
}

/**
 * The functions that answer the rows of a request, and the function that writes an answer as JSON.
 */
interface Answering<T> {
  readonly rowsAtOnce: number;
  readonly one: (row: Row) => Promise<T>;
  readonly many: (rows: readonly Row[]) => Promise<T[]>;
  readonly json: (answer: T) => string;
  readonly signal: AbortSignal | undefined;
}

const written = <T>({ rowsAtOnce, one, many, json, signal }: Answering<T>): JsonAnswers => ({
  rowsAtOnce,
  one: async (row) => json(await one(row)),
  many: async (rows) => (await many(rows)).map(json),
  async list(rows) {
    const answers = await many(rows);
    const parts = [Buffer.from('[')];
    for (let start = 0; start < answers.length; start += rowsAtOnce) {
      if (start > 0) await nextTurn();
      signal?.throwIfAborted();
      const texts = answers.slice(start, start + rowsAtOnce).map(json);
      parts.push(Buffer.from(`${start === 0 ? '' : ','}${texts.join(',')}`));
    }
    return Buffer.concat([...parts, Buffer.from(']')]);
  },
});

/** The results of `floatOutputs`, by description. */
const known = new WeakMap<object, (name: string) => boolean>();

/**
 * Returns a function that returns whether an output holds floats. The JSON of a float differs from
 * the JSON of an integer.
 */
function floatOutputs(description: ReadyRoute['description']): (name: string) => boolean {
  const found = known.get(description);
  if (found !== undefined) return found;
  const floats = description.outputs.filter(({ type }) => datatypeOf(type).startsWith('FP'));
  const names = new Set(floats.map(({ name }) => name));
  const isFloat = (name: string) => names.has(name);
  known.set(description, isFloat);
  return isFloat;
}
