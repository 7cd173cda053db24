import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import type { ServerArguments } from './server.js';

const script = fileURLToPath(new URL('main.js', import.meta.url));

/** The server processes of the example, by name. */
export class Processes {
  readonly #shared: Omit<ServerArguments, 'name' | 'cacheFolder'>;
  readonly #folder: string;
  readonly #children = new Map<string, ChildProcess>();

  constructor(shared: Omit<ServerArguments, 'name' | 'cacheFolder'>, folder: string) {
    this.#shared = shared;
    this.#folder = folder;
    process.once('exit', () => {
      for (const child of this.#children.values()) child.kill('SIGKILL');
    });
  }

  get names(): string[] {
    return [...this.#children.keys()];
  }

  /** Starts a server, and waits until it answers. Each server has its own cache folder. */
  async start(name: string): Promise<void> {
    const child = fork(script, [JSON.stringify({ ...this.#shared, name, cacheFolder: `${this.#folder}/${name}` })]);
    this.#children.set(name, child);
    await once(child, 'message');
  }

  /** Sends a signal to a server. */
  signal(name: string, signal: 'SIGSTOP' | 'SIGCONT'): void {
    this.#children.get(name)!.kill(signal);
  }

  /** Ends a server with a signal. */
  async end(name: string, signal: 'SIGTERM' | 'SIGKILL'): Promise<void> {
    const child = this.#children.get(name)!;
    this.#children.delete(name);
    const exited = once(child, 'exit');
    child.kill(signal);
    await exited;
  }
}
