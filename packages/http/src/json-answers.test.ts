import type { ReadyRoute } from '@brezel/oip';
import type { Row } from 'brezel';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { jsonAnswers } from './json-answers.js';

/** The options of a prediction. */
interface Options {
  readonly deadlineMs?: number;
  readonly contributions?: unknown;
}

/** A route that answers `{ y: row }`, explains nothing, and records the options of its calls. */
function recording(options: ReadyRoute['options'] = {}) {
  const calls: Options[] = [];
  const answer = (y: Row, { contributions }: Options) =>
    contributions === undefined ? { y } : { answer: { y }, contributions: [] };
  const route = {
    async predict(row: Row, given: Options) {
      calls.push(given);
      return answer(row, given);
    },
    async predictBatch(rows: readonly Row[], given: Options) {
      calls.push(given);
      return rows.map((row) => answer(row, given));
    },
  };
  return { calls, ready: { route, description: { outputs: [] }, options } as unknown as ReadyRoute };
}

afterEach(() => vi.restoreAllMocks());

describe('a list', () => {
  test.each([
    ['answers', undefined, (y: number): unknown => ({ y })],
    ['explained answers', 3, (y: number): unknown => ({ answer: { y }, contributions: [] })],
  ] as const)('of %s has any number of rows', async (_, contributions, expected) => {
    const answers = jsonAnswers(recording().ready, contributions);
    for (const count of [0, 1, answers.rowsAtOnce, answers.rowsAtOnce + 1, 3 * answers.rowsAtOnce]) {
      const rows = Array.from({ length: count }, (_, row) => row);
      const list = await answers.list(rows as unknown as Row[]);
      expect(JSON.parse(list.toString())).toEqual(rows.map(expected));
    }
  });

  test.each([undefined, 3])('runs other work before it is complete', async (contributions) => {
    const answers = jsonAnswers(recording().ready, contributions);
    const order: string[] = [];
    const list = answers.list(new Array(10 * answers.rowsAtOnce).fill('')).then(() => order.push('list'));
    const turns = async () => {
      for (let turn = 0; turn < 4; turn++) await new Promise(setImmediate);
      order.push('four turns');
    };
    await Promise.all([list, turns()]);
    expect(order).toEqual(['four turns', 'list']);
  });

  test('ends when the client disconnects', async () => {
    const controller = new AbortController();
    const { ready } = recording({ signal: controller.signal });
    const answers = jsonAnswers(ready, 3);
    const list = answers.list(new Array(10 * answers.rowsAtOnce).fill(''));
    setImmediate(() => controller.abort());
    await expect(list).rejects.toThrow('aborted');
  });
});

test('the deadline limits all calls together', async () => {
  const now = vi.spyOn(performance, 'now').mockReturnValue(1000);
  const { calls, ready } = recording({ deadlineMs: 50 });
  const answers = jsonAnswers(ready, 1);
  await answers.many(['a']);
  now.mockReturnValue(1020);
  await answers.many(['b']);
  now.mockReturnValue(1049);
  await answers.one('c');
  now.mockReturnValue(2000);
  await answers.one('d');
  expect(calls.map(({ deadlineMs }) => deadlineMs)).toEqual([50, 30, 1, Number.MIN_VALUE]);
});
