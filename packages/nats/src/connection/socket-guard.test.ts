import { EventEmitter } from 'node:events';
import type { NatsConnection, Status } from '@nats-io/transport-node';
import { expect, test } from 'vitest';
import { guardSockets } from './socket-guard.js';

test('the error of a socket without other listeners is ignored, also after a reconnect', async () => {
  const transport = { socket: new EventEmitter() };
  const sockets = [transport.socket];
  const renew = () => {
    transport.socket = new EventEmitter();
    sockets.push(transport.socket);
  };
  async function* status(): AsyncGenerator<Status> {
    yield { type: 'disconnect', server: 'a' };
    renew();
    yield { type: 'reconnect', server: 'a' };
  }
  const connection = { protocol: { transport }, status } as unknown as NatsConnection;
  await guardSockets(connection);
  await guardSockets(connection);
  expect(sockets.length).toBe(2);
  for (const socket of sockets) {
    socket.on('error', () => {
      throw new Error('this listener was removed');
    });
    expect(socket.removeAllListeners()).toBe(socket);
    expect(socket.emit('error', new Error('write after end'))).toBe(true);
  }
});

test('a connection without a socket needs no guard', async () => {
  await guardSockets({ async *status() {} } as unknown as NatsConnection);
});
