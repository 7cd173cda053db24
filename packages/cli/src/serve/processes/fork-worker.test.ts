import cluster from 'node:cluster';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { afterAll, expect, test } from 'vitest';
import { temporaryFolder } from '../../../test/brezel.js';
import { forkWorker } from './fork-worker.js';

const folder = temporaryFolder();
afterAll(folder.remove);

/** Listens, and starts a process that keeps the channel to the primary open. */
const LISTEN = `
const { spawn } = require('node:child_process');
require('node:net').createServer().listen(0, '127.0.0.1', function () {
  const holder = spawn(process.execPath, ['-e', 'require("node:net").createServer().listen(0)'], {
    stdio: ['ignore', 'ignore', 'ignore', process.channel.fd],
  });
  process.send({ port: this.address().port, holder: holder.pid });
});`;

test('the port of an ended worker is free while its channel is still open', async () => {
  cluster.setupPrimary({ exec: folder.file('worker.cjs', LISTEN), args: [], execArgv: [] });
  const worker = forkWorker();
  const [{ port, holder }] = (await once(worker, 'message')) as [{ port: number; holder: number }];
  try {
    worker.kill('SIGKILL');
    await once(worker, 'exit');
    expect(worker.connected).toBe(true);
    // This fails with EADDRINUSE if the primary still has the socket.
    const next = createServer().listen(port, '127.0.0.1');
    await once(next, 'listening');
    next.close();
  } finally {
    process.kill(holder, 'SIGKILL');
  }
});
