import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';

// Starts NATS and HAProxy, which the cluster experiment puts in front of its servers.

const haproxyFile = fileURLToPath(new URL('../../examples/deploy/haproxy/haproxy.cfg', import.meta.url));

/**
 * Starts a NATS server with JetStream on a free port of this machine.
 *
 * @param {string} folder of JetStream
 */
export async function startNats(folder) {
  const args = ['-a', '127.0.0.1', '-p', '-1', '-js', '-sd', folder];
  const child = spawn('nats-server', args, { stdio: ['ignore', 'ignore', 'pipe'] });
  process.once('exit', () => child.kill());
  let port = '';
  for await (const line of createInterface({ input: child.stderr })) {
    port = /Listening for client connections on .*:(\d+)$/.exec(line)?.[1] ?? port;
    if (line.includes('Server is ready')) break;
  }
  child.stderr.resume();
  const stop = async () => {
    const exited = once(child, 'exit');
    child.kill();
    await exited;
  };
  return { url: `nats://127.0.0.1:${port}`, stop };
}

/**
 * Starts HAProxy with the configuration of examples/deploy, whose ports are replaced.
 *
 * @param {string} folder
 * @param {readonly number[]} ports of the HTTP servers
 */
export async function startHaproxy(folder, ports) {
  const [front, metrics] = [await freePort(), await freePort()];
  const of = new Map([
    [8080, front],
    [8404, metrics],
    ...ports.map((port, index) => /** @type {const} */ ([8081 + index, port])),
  ]);
  const file = join(folder, 'haproxy.cfg');
  const config = readFileSync(haproxyFile, 'utf8').replace(/(?<=127\.0\.0\.1:)\d+/g, (port) =>
    String(of.get(Number(port))),
  );
  writeFileSync(file, config);
  const child = spawn('haproxy', ['-db', '-f', file], { stdio: 'ignore' });
  const stop = () => child.kill();
  process.once('exit', stop);
  const url = `http://127.0.0.1:${front}`;
  while (
    !(await fetch(`${url}/v2/health/ready`).then(
      ({ ok }) => ok,
      () => false,
    ))
  )
    await pause(100);
  return { url, stop };
}

async function freePort() {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = /** @type {import('node:net').AddressInfo} */ (server.address());
  server.close();
  return port;
}
