import { BrezelError } from '@brezel/core';
import { cliError } from '../../errors.js';

/** The functions that one process offers to another. Arguments and results are plain data. */
export type Methods = Readonly<Record<string, (argument: never) => unknown>>;

/**
 * The channel to another process. In the primary, it is the forked process. In a forked process, it
 * is the global `process`, which sends messages to the primary.
 */
export interface Channel {
  send(message: unknown, done: (error: Error | null) => void): unknown;
  on(event: 'message', listener: (message: unknown) => void): unknown;
}

type Result<Method> = Method extends (argument: never) => infer Returned ? Awaited<Returned> : never;
type Argument<Method> = Method extends (argument: infer Given) => unknown ? Given : never;

interface Call {
  readonly brezel: 'call';
  readonly id: number;
  readonly method: string;
  readonly argument: unknown;
}

interface Reply {
  readonly brezel: 'reply';
  readonly id: number;
  readonly value?: unknown;
  readonly error?: SentError;
}

/** An error as plain data. */
export interface SentError {
  readonly code: string;
  readonly message: string;
  readonly hint: string;
  readonly statusCode: number;
}

interface Pending {
  resolve(value: unknown): void;
  reject(error: unknown): void;
}

/**
 * Calls functions of another process, and runs the calls of the other process.
 *
 * @typeParam Remote the functions of the other process
 */
export class Peer<Remote extends { readonly [Name in keyof Remote]: (argument: never) => unknown }> {
  readonly #channel: Channel;
  readonly #pending = new Map<number, Pending>();
  #calls = 0;
  #ended: Error | undefined;

  /** @param own the functions that the other process may call */
  constructor(channel: Channel, own: Methods) {
    this.#channel = channel;
    channel.on('message', (message) => this.#receive(message as Call | Reply | null, own));
  }

  /**
   * Calls a function of the other process.
   *
   * @throws the error of the function; ERR_CLI_WORKER if the other process ends before it replies.
   */
  call<Name extends keyof Remote & string>(
    method: Name,
    argument?: Argument<Remote[Name]>,
  ): Promise<Result<Remote[Name]>> {
    return new Promise((resolve, reject) => {
      if (this.#ended !== undefined) return reject(this.#ended);
      const id = ++this.#calls;
      this.#pending.set(id, { resolve: resolve as Pending['resolve'], reject });
      this.#send({ brezel: 'call', id, method, argument });
    });
  }

  /** Rejects all calls without a reply, and all later calls. */
  end(error: Error): void {
    this.#ended ??= error;
    for (const { reject } of this.#pending.values()) reject(error);
    this.#pending.clear();
  }

  #send(message: Call | Reply): void {
    try {
      this.#channel.send(message, (error) => {
        if (error !== null) this.end(lostPeer(error));
      });
    } catch (error) {
      this.end(lostPeer(error)); // the channel is closed
    }
  }

  #receive(message: Call | Reply | null, own: Methods): void {
    if (message?.brezel === 'call') void this.#run(message, own);
    else if (message?.brezel === 'reply') this.#settle(message);
  }

  async #run({ id, method, argument }: Call, own: Methods): Promise<void> {
    try {
      const value = await (own[method] as (argument: unknown) => unknown)(argument);
      this.#send({ brezel: 'reply', id, value });
    } catch (error) {
      this.#send({ brezel: 'reply', id, error: sentError(error) });
    }
  }

  #settle({ id, value, error }: Reply): void {
    const pending = this.#pending.get(id);
    this.#pending.delete(id);
    if (error === undefined) pending?.resolve(value);
    else pending?.reject(receivedError(error));
  }
}

/** Returns the error that another process has sent. */
export const receivedError = (error: SentError): BrezelError => new BrezelError(error.code, error);

/** Returns whether an error is the error for a process that ended before it replied. */
export const isLost = (error: unknown): boolean => (error as Partial<BrezelError>).code === 'ERR_CLI_WORKER';

/** Returns the error for a process that ended before it replied. */
export const lostPeer = (cause?: unknown): Error => cliError('ERR_CLI_WORKER', { cause });

/** Returns an error as plain data. */
export function sentError(error: unknown): SentError {
  if (error instanceof BrezelError) {
    const { code, message, hint, statusCode } = error;
    return { code, message, hint, statusCode };
  }
  const { code = 'ERR_INTERNAL', message } = error as NodeJS.ErrnoException;
  return { code, message: message ?? `${error}`, hint: 'see the message', statusCode: 500 };
}
