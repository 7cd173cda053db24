import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { text } from 'node:stream/consumers';
import { root } from './brezel.js';

/** A running `brezel serve`. */
export interface Serving {
  readonly url: string;
  /** Waits for a line that matches, and returns its first group. */
  line(pattern: RegExp): Promise<string>;
  /** Sends a signal, and returns the exit code and everything that the process printed. */
  stop(signal?: NodeJS.Signals): Promise<{ code: number | null; out: string; err: string }>;
}

const running: ChildProcess[] = [];

/** Ends all servers of the test file. */
export function killServers(): void {
  for (const child of running.splice(0)) child.kill('SIGKILL');
}

/** Starts `brezel serve` on a free port, and waits until it listens. */
export const serve = (...args: readonly string[]): Promise<Serving> => serveWith({}, args);

/** Starts `brezel serve` on a free port with more environment variables. */
export async function serveWith(environment: NodeJS.ProcessEnv, args: readonly string[]): Promise<Serving> {
  const child = spawn(process.execPath, ['packages/brezel/bin/brezel.js', 'serve', '--port', '0', ...args], {
    cwd: root,
    env: { ...process.env, NO_COLOR: '1', BREZEL_DEBUG: '', ...environment },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  running.push(child);
  const closed = once(child, 'close');
  const err = text(child.stderr!);
  const lines: string[] = [];
  const reader = createInterface({ input: child.stdout! }).on('line', (line) => lines.push(line));
  while (!lines.some((line) => line.startsWith('listening on '))) {
    const ended = await Promise.race([once(reader, 'line').then(() => false), closed.then(() => true)]);
    if (ended) throw new Error(`the server ended: ${await err}`);
  }
  const url = lines.find((line) => line.startsWith('listening on '))!.slice('listening on '.length);
  return {
    url,
    async line(pattern) {
      while (!lines.some((one) => pattern.test(one))) await once(reader, 'line');
      return lines.flatMap((one) => pattern.exec(one)?.[1] ?? [])[0]!;
    },
    async stop(signal = 'SIGTERM') {
      child.kill(signal);
      const [code] = await closed;
      return { code, out: `${lines.join('\n')}\n`, err: await err };
    },
  };
}
