import type { ChildProcess } from 'node:child_process';
import { EventEmitter } from 'node:events';
import { expect, test } from 'vitest';
import { closeGivenConnections } from './given-connections.js';

test('connections that an ended worker did not accept are closed', () => {
  const sent: unknown[] = [];
  const worker = Object.assign(new EventEmitter(), { pid: 7, send: (...message: unknown[]) => sent.push(message) > 0 });
  closeGivenConnections(worker as unknown as ChildProcess);
  const closed: number[] = [];
  const give = (seq: number) =>
    (worker.send as (...message: unknown[]) => boolean)({ act: 'newconn', seq }, { close: () => closed.push(seq) });
  give(1);
  give(2);
  worker.emit('internalMessage', { ack: 1, accepted: true });
  (worker.send as (...message: unknown[]) => boolean)({ brezel: 'call', id: 3 });
  worker.emit('exit', null, 'SIGKILL');
  expect([closed, sent.length]).toEqual([[2], 3]);
  expect([give(4), closed, sent.length]).toEqual([false, [2, 4], 3]);
});
