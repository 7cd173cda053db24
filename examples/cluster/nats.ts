import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';

/** A NATS server, and the function that stops it. */
export interface Nats {
  readonly url: string;
  stop(): Promise<void>;
}

/**
 * Uses the NATS server with JetStream at NATS_URL, or starts `nats-server` on a free port of this
 * machine.
 *
 * @param folder the folder for the files of JetStream
 */
export async function startNats(folder: string): Promise<Nats> {
  const url = process.env.NATS_URL;
  if (url) return { url, stop: async () => {} };
  const args = ['-a', '127.0.0.1', '-p', '-1', '-js', '-sd', folder];
  const child = spawn('nats-server', args, { stdio: ['ignore', 'ignore', 'pipe'] });
  child.on('error', () => {
    console.error('nats-server is not installed: run apt-get install nats-server, or set NATS_URL');
    process.exit(1);
  });
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
