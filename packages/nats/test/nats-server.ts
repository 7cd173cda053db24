import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';

/** Whether Debian's package nats-server, or another build of it, is installed. */
export const hasNatsServer = spawnSync('nats-server', ['--version']).status === 0;

/** A NATS server that runs in a child process. */
export interface NatsServer {
  readonly url: string;
  readonly port: number;
  /** Ends the server as a crash does. */
  kill(): Promise<void>;
  /** Stops or continues the server. */
  signal(signal: 'SIGSTOP' | 'SIGCONT'): void;
}

/**
 * Starts a NATS server on this machine, and waits until it accepts connections.
 *
 * @param port 0 takes a free port
 * @param args further arguments, for example limits or credentials
 */
export async function startNats(port = 0, args: readonly string[] = []): Promise<NatsServer> {
  const child = spawn('nats-server', ['-a', '127.0.0.1', '-p', `${port || -1}`, ...args], {
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  process.once('exit', () => child.kill('SIGKILL'));
  const lines: string[] = [];
  let listening = 0;
  for await (const line of createInterface({ input: child.stderr! })) {
    lines.push(line);
    listening = Number(/Listening for client connections on .*:(\d+)$/.exec(line)?.[1] ?? listening);
    if (line.includes('Server is ready')) break;
  }
  if (listening === 0) throw new Error(`nats-server does not start: ${lines.join('\n')}`);
  child.stderr!.resume();
  const url = `nats://127.0.0.1:${listening}`;
  return { url, port: listening, kill: () => killed(child), signal: (signal) => void child.kill(signal) };
}

async function killed(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exited = once(child, 'exit');
  child.kill('SIGKILL');
  await exited;
}
