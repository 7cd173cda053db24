import { BrezelError } from 'brezel';
import { expect, test } from 'vitest';
import type { Reply } from '../protocol/messages.js';
import { type BatchPart, sendAll } from './batch-parts.js';

const parts: readonly BatchPart[] = Array.from({ length: 12 }, (_, from) => ({
  from,
  count: 1,
  rows: new Uint8Array(),
}));
const texts = { statusCode: 503, message: 'overloaded', hint: 'wait' };
const overloaded = () => new BrezelError('ERR_RUNTIME_OVERLOADED', texts);
const reply = (part: BatchPart) => ({ version: 'm@1', answers: [part.from] }) as unknown as Reply;
const turn = () => new Promise((resolve) => setImmediate(resolve));

/** A server that rejects a part if `limit` other parts are in flight. */
function server(limit: number) {
  const seen = { most: 0, rejected: 0 };
  let inFlight = 0;
  const send = async (part: BatchPart) => {
    if (inFlight >= limit) {
      seen.rejected++;
      await turn();
      throw overloaded();
    }
    inFlight++;
    seen.most = Math.max(seen.most, inFlight);
    await turn();
    await turn();
    inFlight--;
    return reply(part);
  };
  return { send, seen };
}

test.each([1, 2, 3, 7])('a server that accepts %i messages answers the whole batch in order', async (limit) => {
  const { send, seen } = server(limit);
  expect(await sendAll(parts, 8, send)).toEqual(parts.map(({ from }) => from));
  expect(seen.most).toBe(limit);
  // Each rejection ends one of eight senders, so at most seven parts are rejected and sent again.
  expect(seen.rejected).toBeLessThan(8);
});

test('a server with other load fails the batch after one message alone was rejected', async () => {
  let sent = 0;
  const failed = sendAll(parts, 8, async () => {
    sent++;
    await turn();
    throw overloaded();
  });
  await expect(failed).rejects.toMatchObject({ code: 'ERR_RUNTIME_OVERLOADED' });
  expect(sent).toBe(9);
});

test('throws the error of the first part that fails, also after rejections', async () => {
  const { send } = server(3);
  const failed = sendAll(parts, 8, async (part) => {
    const answer = await send(part);
    if (part.from >= 4) throw new BrezelError(`ERR_${part.from}`, texts);
    return answer;
  });
  await expect(failed).rejects.toMatchObject({ code: 'ERR_4' });
});

test('cancels the parts after a part that fails', async () => {
  const canceled: number[] = [];
  const failed = sendAll(parts, 4, async (part, cancel) => {
    if (part.from === 0) return reply(part);
    const abort = new Promise<never>((_, reject) => {
      cancel.addEventListener('abort', () => {
        canceled.push(part.from);
        reject(cancel.reason);
      });
    });
    if (part.from > 1) return abort;
    await turn();
    throw new BrezelError('ERR_1', texts);
  });
  await expect(failed).rejects.toMatchObject({ code: 'ERR_1' });
  expect(canceled).toEqual([2, 3, 4]);
});
