import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';

/** A NATS server, and the function that stops it. */
export interface Nats {
  readonly url: string;
  stop(): void;
}

/** Uses the NATS server at NATS_URL, or starts `nats-server` on a free port of this machine. */
export async function startNats(): Promise<Nats> {
  const url = process.env.NATS_URL;
  if (url) return { url, stop() {} };
  const child = spawn('nats-server', ['-a', '127.0.0.1', '-p', '-1'], { stdio: ['ignore', 'ignore', 'pipe'] });
  child.on('error', () => {
    console.error('nats-server is not installed: run apt-get install nats-server, or set NATS_URL');
    process.exit(1);
  });
  let port = '';
  for await (const line of createInterface({ input: child.stderr })) {
    port = /Listening for client connections on .*:(\d+)$/.exec(line)?.[1] ?? port;
    if (line.includes('Server is ready')) break;
  }
  child.stderr.resume();
  return { url: `nats://127.0.0.1:${port}`, stop: () => child.kill() };
}
