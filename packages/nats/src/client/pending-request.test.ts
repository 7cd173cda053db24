import { expect, test } from 'vitest';
import { ManualClock } from '../../../../testing/manual-clock.js';
import { errorOf } from '../../test/errors.js';
import { PendingRequest } from './pending-request.js';

const REPLY = { version: 'm@1', answers: [] };

/** A request whose messages are recorded. */
function pendingRequest({ deadlineMs = 10_000, hasAnswered = true, isConnected = true, earlyMs = 0 } = {}) {
  const clock = new ManualClock({ earlyMs });
  const sent: string[] = [];
  const abort = new AbortController();
  const limits = { end: clock.now() + deadlineMs, deadlineMs, signal: abort.signal };
  const request = new PendingRequest('m', limits, {
    clock,
    retryMs: 100,
    send: (attempt) => sent.push(`attempt ${attempt}`),
    control: (action) => sent.push(action),
    isConnected: () => isConnected,
    waitForServerMs: () => (hasAnswered ? 5000 : 0),
  });
  return { clock, sent, abort, request, reply: request.run() };
}

test('is sent once if the answer comes', async () => {
  const { clock, sent, request, reply } = pendingRequest();
  request.answered(REPLY);
  expect(await reply).toBe(REPLY);
  clock.advance(100_000);
  expect([sent, clock.timers]).toEqual([['attempt 1'], 0]);
});

test('asks the servers, and waits while a server works on it', async () => {
  const { clock, sent, request, reply } = pendingRequest();
  for (let round = 0; round < 5; round++) {
    clock.advance(100);
    request.reported(true);
  }
  expect(sent).toEqual(['attempt 1', 'status', 'status', 'status', 'status', 'status']);
  request.answered(REPLY);
  expect(await reply).toBe(REPLY);
});

test('is sent again if no server reports, after longer and longer pauses', async () => {
  const { clock, sent, request, reply } = pendingRequest({ earlyMs: 0.5 });
  clock.advance(200);
  expect(sent).toEqual(['attempt 1', 'status', 'attempt 2']);
  clock.advance(399);
  expect(sent.length).toBe(4);
  clock.advance(1);
  expect(sent.slice(3)).toEqual(['status', 'attempt 3']);
  request.answered(REPLY);
  await reply;
});

test('is sent again at once if NATS reports that no server receives the question', async () => {
  const { clock, sent, request, reply } = pendingRequest();
  clock.advance(100);
  request.reported(false);
  expect(sent).toEqual(['attempt 1', 'status', 'attempt 2']);
  request.answered(REPLY);
  await reply;
});

test('is sent again after the client has connected again', async () => {
  const { sent, request, reply } = pendingRequest();
  request.reconnected();
  expect(sent).toEqual(['attempt 1', 'attempt 2']);
  request.answered(REPLY);
  await reply;
});

test('fails at once if no server has ever answered the model', async () => {
  const { request, reply } = pendingRequest({ hasAnswered: false });
  request.unanswered();
  expect((await errorOf(reply)).code).toBe('ERR_NATS_NO_SERVER');
});

test('waits for a server of a model that was answered before', async () => {
  const { clock, sent, request, reply } = pendingRequest();
  for (let elapsed = 0; elapsed < 4900; elapsed += 100) {
    request.unanswered();
    clock.advance(100);
  }
  expect(sent.length).toBe(50);
  clock.advance(100);
  request.unanswered();
  expect((await errorOf(reply)).code).toBe('ERR_NATS_NO_SERVER');
});

test('fails at its deadline, and sets no timer afterwards', async () => {
  const { clock, request, reply } = pendingRequest({ deadlineMs: 150, earlyMs: 0.5 });
  clock.advance(150);
  expect(await errorOf(reply)).toMatchObject({ name: 'RuntimeError', code: 'ERR_RUNTIME_DEADLINE', statusCode: 504 });
  request.reported(true);
  request.reconnected();
  expect(clock.timers).toBe(0);
});

test('reports that the client was not connected', async () => {
  const { clock, reply } = pendingRequest({ deadlineMs: 150, isConnected: false });
  clock.advance(150);
  expect((await errorOf(reply)).code).toBe('ERR_NATS_CONNECTION');
});

test('an aborted request is canceled on the server', async () => {
  const { clock, sent, abort, reply } = pendingRequest();
  const reason = new Error('stop');
  abort.abort(reason);
  await expect(reply).rejects.toBe(reason);
  expect([sent, clock.timers]).toEqual([['attempt 1', 'cancel'], 0]);
});
