import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Answer, BrezelError, Row } from 'brezel';
import { MAX_ROWS } from '../protocol/messages.js';

/** Answers a group of rows. The signal aborts when the answers are not needed. */
type AnswerGroup = (rows: readonly Row[], signal: AbortSignal) => Promise<readonly Answer[]>;

/** The rows of one message, and their answers. */
interface SentGroup {
  readonly rows: readonly Row[];
  readonly answers: Promise<readonly Answer[]>;
  isSettled: boolean;
}

/** The number of groups in flight. */
const WINDOW = 8;

/**
 * Yields the answers of rows in order, while it reads the rows. A group has at most 256 rows; if no
 * further row is ready, a smaller group is sent. Reads no rows while 8 groups are in flight or the
 * caller does not read the answers.
 *
 * If a server is overloaded, sends the group again after the other groups are answered.
 */
export async function* answerStream(
  rows: Iterable<Row> | AsyncIterable<Row>,
  answer: AnswerGroup,
): AsyncGenerator<Answer> {
  const source = rowsOf(rows);
  const ended = new AbortController();
  const window: SentGroup[] = [];
  const send = (group: readonly Row[]) => {
    const answers = answer(group, ended.signal);
    const sent: SentGroup = { rows: group, answers, isSettled: false };
    const settle = () => {
      sent.isSettled = true;
    };
    answers.then(settle, settle);
    window.push(sent);
  };
  let isEnded = false;
  try {
    while (!isEnded || window.length > 0) {
      if (!isEnded && window.length < WINDOW && !window[0]?.isSettled) {
        const group = await source.take(window[0]?.answers);
        if (group === undefined) isEnded = true;
        else if (group.length > 0) send(group);
      } else {
        const head = window.shift()!;
        yield* await settled(head, window, answer, ended.signal);
      }
    }
  } finally {
    ended.abort();
    await source.close();
  }
}

/** Returns the answers of the first group in flight. */
async function settled(
  { answers, rows }: SentGroup,
  others: readonly SentGroup[],
  answer: AnswerGroup,
  signal: AbortSignal,
): Promise<readonly Answer[]> {
  try {
    return await answers;
  } catch (error) {
    const isOwnLoad = (error as BrezelError | undefined)?.code === 'ERR_RUNTIME_OVERLOADED' && others.length > 0;
    if (!isOwnLoad) throw error;
    await Promise.allSettled(others.map((other) => other.answers));
    return answer(rows, signal);
  }
}

/** Reads rows in groups. */
function rowsOf(rows: Iterable<Row> | AsyncIterable<Row>) {
  const iterator = Symbol.asyncIterator in rows ? rows[Symbol.asyncIterator]() : rows[Symbol.iterator]();
  let next: Promise<IteratorResult<Row>> | undefined;
  let isDone = false;
  return {
    /**
     * Returns the rows that are ready, at most 256, or waits for a row or for `event`. Returns an
     * empty list after the event, and undefined after the last row.
     */
    async take(event: Promise<unknown> | undefined): Promise<Row[] | undefined> {
      const group: Row[] = [];
      let idle: Promise<undefined> | undefined;
      while (!isDone && group.length < MAX_ROWS) {
        next ??= Promise.resolve(iterator.next());
        idle ??= nextTurn(undefined);
        let result = await Promise.race([next, idle]);
        if (result === undefined) {
          if (group.length > 0) break;
          const happened = event?.then(nothing, nothing);
          result = await (happened === undefined ? next : Promise.race([next, happened]));
          if (result === undefined) return [];
          idle = undefined;
        }
        next = undefined;
        if (result.done) isDone = true;
        else group.push(result.value);
      }
      return isDone && group.length === 0 ? undefined : group;
    },
    /**
     * Ends the source, which can then free its resources. Does not wait for a row that is
     * requested.
     */
    async close(): Promise<void> {
      if (isDone) return;
      next?.catch(() => {});
      const closing = Promise.resolve(iterator.return?.()).catch(() => {});
      if (next === undefined) await closing;
    },
  };
}

const nothing = () => undefined;
