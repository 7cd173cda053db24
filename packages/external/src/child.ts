import { type ChildProcess, spawn } from 'node:child_process';
import { accessSync, constants, rmSync, statSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import type { Clock } from 'brezel';
import { externalError } from './errors.js';

/** The program that a child process runs, and the socket on which it must listen. */
export interface ChildOptions {
  readonly command: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly cwd: string | undefined;
  /** The Unix socket on which the process must listen. */
  readonly socketPath: string;
  readonly label: string;
  readonly clock: Clock;
}

/** The milliseconds between SIGTERM and SIGKILL. */
const KILL_MS = 2000;
const TAIL_CHARACTERS = 2000;

/**
 * How many milliseconds after the end of a process the last lines of its standard error may arrive.
 */
const LAST_LINES_MS = 100;

/** Processes that are killed when this process exits. */
const living = new Set<ChildProcess>();
let isWatching = false;

function endsWithThisProcess(child: ChildProcess): void {
  living.add(child);
  if (isWatching) return;
  isWatching = true;
  process.on('exit', () => {
    for (const one of living) one.kill('SIGKILL');
  });
}

/**
 * A process that runs a model. It starts without a shell, and receives only the environment
 * variables of its options. Its standard input closes when this process ends, even after SIGKILL.
 */
export class Child {
  readonly #options: ChildOptions;
  #process: ChildProcess | undefined;
  #exited: Promise<unknown> = Promise.resolve();
  #stderr = '';
  #ending = '';
  #stopping: Promise<void> | undefined;

  constructor(options: ChildOptions) {
    this.#options = options;
  }

  get isRunning(): boolean {
    return this.#process !== undefined;
  }

  /**
   * Starts the process. The running child does not prevent the end of this process.
   *
   * @param onExit called when the process has ended.
   */
  start(onExit: () => void): void {
    const { command, args, env, cwd, socketPath } = this.#options;
    this.#stderr = '';
    this.#ending = '';
    this.#stopping = undefined;
    rmSync(socketPath, { force: true }); // a process that was killed leaves its socket
    const child = spawn(command, args, {
      cwd,
      env: { ...env, BREZEL_SOCKET: socketPath },
      stdio: ['pipe', 'ignore', 'pipe'],
    });
    this.#process = child;
    endsWithThisProcess(child);
    this.#exited = this.#untilEnd(child).then((why) => {
      living.delete(child);
      this.#ending = why;
      this.#process = undefined;
      onExit();
    });
    child.unref();
    this.#read(child);
  }

  /** Keeps the last lines of standard error. */
  #read(child: ChildProcess): void {
    // If this process has no free file descriptor, the child does not start and has no pipes.
    const pipes: Partial<Pick<ChildProcess, 'stdin' | 'stderr'>> = child;
    pipes.stdin?.on('error', () => undefined); // the process may close its input
    pipes.stderr?.setEncoding('utf8').on('data', (text: string) => {
      this.#stderr = (this.#stderr + text).slice(-TAIL_CHARACTERS);
    });
    for (const pipe of [pipes.stdin, pipes.stderr]) (pipe as { unref(): void } | undefined | null)?.unref();
  }

  /** Waits until a process has ended and its last lines have arrived. Returns the reason. */
  #untilEnd(child: ChildProcess): Promise<string> {
    return new Promise((resolve) => {
      child.on('error', (error) => {
        if (child.pid === undefined) resolve(error.message);
      });
      child.on('exit', (code, signal) => {
        const why = signal === null ? `exit code ${code}` : `signal ${signal}`;
        // Processes that the child started may hold the child's standard error open.
        const timer = this.#options.clock.setTimeout(() => resolve(why), LAST_LINES_MS);
        child.on('close', () => {
          timer.cancel();
          resolve(why);
        });
      });
    });
  }

  /** Describes how the process ended, with the last lines of its standard error. */
  failure(): Error {
    const tail = this.#stderr.trim();
    const received = `${this.#ending || 'no process'}${tail === '' ? '' : `; stderr: ${tail}`}`;
    return externalError('ERR_EXTERNAL_PROCESS', { received, at: this.#options.label });
  }

  /** Waits until the process has ended, at most `milliseconds`. Returns whether it has ended. */
  async endsWithin(milliseconds: number): Promise<boolean> {
    const { clock } = this.#options;
    let isOver = () => {};
    const late = new Promise<void>((resolve) => {
      isOver = resolve;
    });
    const timer = clock.setTimeout(isOver, milliseconds);
    await Promise.race([this.#exited, late]);
    timer.cancel();
    return !this.isRunning;
  }

  /** The promise of `stop`. Undefined if `stop` was not called after the last start. */
  get stopping(): Promise<void> | undefined {
    return this.#stopping;
  }

  /** Ends the process: SIGTERM, and SIGKILL if it is still running after two seconds. */
  stop(): Promise<void> {
    this.#stopping ??= this.#stop();
    return this.#stopping;
  }

  async #stop(): Promise<void> {
    const child = this.#process;
    if (child === undefined) return;
    child.stdin?.end();
    child.kill('SIGTERM');
    const timer = this.#options.clock.setTimeout(() => child.kill('SIGKILL'), KILL_MS);
    await this.#exited;
    timer.cancel();
  }
}

/**
 * Returns the path of a command. A name without a slash is looked up in the PATH of this process,
 * because the child process has its own environment.
 *
 * @throws ERR_EXTERNAL_OPTION if the program does not exist.
 */
export function commandPath(command: string): string {
  if (command.includes('/')) return command;
  const folders = (process.env.PATH ?? '').split(delimiter).filter((folder) => folder !== '');
  const found = folders.map((folder) => join(folder, command)).find(isProgram);
  if (found !== undefined) return found;
  const expected = 'a program in a folder of PATH, or its path';
  throw externalError('ERR_EXTERNAL_OPTION', { expected, received: JSON.stringify(command), at: 'command' });
}

function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return statSync(path).isFile();
  } catch {
    return false;
  }
}
