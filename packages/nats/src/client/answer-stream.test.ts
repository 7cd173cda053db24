import { BrezelError, type Row } from 'brezel';
import { expect, test } from 'vitest';
import { answerStream } from './answer-stream.js';

const rows = (count: number): Row[] => Array.from({ length: count }, (_, index) => ({ index }));
const echo = async (group: readonly Row[]) => group as never[];

async function collect(answers: AsyncIterable<unknown>): Promise<unknown[]> {
  const all: unknown[] = [];
  for await (const answer of answers) all.push(answer);
  return all;
}

test('answers have the order of the rows, and groups have at most 256 rows', async () => {
  const sizes: number[] = [];
  const answers = await collect(
    answerStream(rows(1000), async (group) => {
      sizes.push(group.length);
      if (sizes.length === 1) await new Promise(setImmediate); // the first group is the last to end
      return echo(group);
    }),
  );
  expect(answers).toEqual(rows(1000));
  expect(sizes).toEqual([256, 256, 256, 232]);
});

test('a row is answered before the next row is ready', async () => {
  let give = (_: Row) => {};
  const source = async function* () {
    for (;;) yield await new Promise<Row>((resolve) => (give = resolve));
  };
  const stream = answerStream(source(), echo);
  for (const row of rows(3)) {
    const answer = stream.next();
    await new Promise(setImmediate);
    give(row);
    expect((await answer).value).toEqual(row);
  }
  await stream.return(undefined);
});

test('no more than 8 groups are in flight, and rows are read only as needed', async () => {
  let [read, inFlight, most] = [0, 0, 0];
  const source = function* () {
    for (const row of rows(256 * 30)) {
      read++;
      yield row;
    }
  };
  const stream = answerStream(source(), async (group) => {
    most = Math.max(most, ++inFlight);
    await new Promise(setImmediate);
    inFlight--;
    return echo(group);
  });
  await stream.next();
  expect(read).toBeLessThanOrEqual(9 * 256);
  await collect(stream);
  expect(most).toBeLessThanOrEqual(8);
});

test('an overloaded group is sent again after the others', async () => {
  let calls = 0;
  const overloaded = new BrezelError('ERR_RUNTIME_OVERLOADED', { message: '', hint: '', statusCode: 503 });
  const answer = async (group: readonly Row[]) => {
    if (++calls === 1) throw overloaded;
    return echo(group);
  };
  expect(await collect(answerStream(rows(600), answer))).toEqual(rows(600));
  expect(calls).toBe(4);
  const never = async () => Promise.reject(overloaded);
  await expect(collect(answerStream(rows(600), never))).rejects.toBe(overloaded);
});

test('an error of the rows or of a server ends the stream, and closes the source', async () => {
  let closed = 0;
  const source = async function* (error?: Error) {
    try {
      yield* rows(300);
      if (error !== undefined) throw error;
    } finally {
      closed++;
    }
  };
  await expect(collect(answerStream(source(new Error('no rows')), echo))).rejects.toThrow('no rows');
  const fail = async () => Promise.reject(new Error('no server'));
  await expect(collect(answerStream(source(), fail))).rejects.toThrow('no server');
  expect(closed).toBe(2);
});

test('a caller that stops aborts the groups in flight', async () => {
  let signal: AbortSignal | undefined;
  for await (const _ of answerStream(rows(600), (group, abort) => {
    signal = abort;
    return echo(group);
  }))
    break;
  expect(signal?.aborted).toBe(true);
});

test('no rows have no answers', async () => {
  expect(await collect(answerStream([], echo))).toEqual([]);
});
