import { readdir } from 'node:fs/promises';
import { extname, join } from 'node:path';
import { type Clock, type ClockTimer, optionNames } from '@brezel/core';
import type { RegisterOptions } from '@brezel/runtime';
import { registryError } from './errors.js';
import type { FileEvent } from './events.js';
import { type FileIdentity, identify } from './file-identity.js';
import { FolderModels, type FolderModelsParts } from './folder-models.js';
import { checkRegistryOptions, plainRegisterNames } from './options.js';

/** Options of `watch`, which adds the ONNX files and the fleet files of a folder to a registry. */
export interface WatchOptions {
  /**
   * Milliseconds between scans. Default 1000. With 0, the folder is scanned only when you call
   * `scan()`.
   */
  readonly intervalMs?: number;
  /**
   * The alias that follows the newest version of each model. Default `default`. False disables it.
   */
  readonly alias?: string | false;
  /** True pins the added versions. Default false. */
  readonly pin?: boolean;
  /** Options of `runtime.register` for every added version. Default: none. */
  readonly register?: Omit<RegisterOptions, 'name'>;
}

const watchOptionNames = optionNames<WatchOptions>({
  intervalMs: true,
  alias: true,
  pin: true,
  register: plainRegisterNames,
});

/** A file in the folder, with its state. */
export interface WatchedFile {
  readonly file: string;
  /** The versions that the registry has added from this file, as `name@version`. */
  readonly versions: readonly string[];
  /**
   * The error with which the current content of the file was rejected. `versions` then
   * contains the versions from its previous content.
   */
  readonly error?: unknown;
}

interface FileState {
  /** Identity of the content from which `versions` were added. */
  taken: string | undefined;
  /** Identity of the content that was last rejected. */
  refused: string | undefined;
  /**
   * Identity of the content at the last scan. A periodic scan loads new content only if the
   * previous scan has found the same content. Otherwise a program may still be writing the file.
   */
  seen: string | undefined;
  versions: readonly string[];
  error: unknown;
  attempts: number;
  retryAt: number;
}

const FILES: ReadonlySet<string> = new Set(['.onnx', '.brezel']);
const GREATEST_MS = 2 ** 31 - 1;
/**
 * The longest delay, in milliseconds, before a rejected file that has not changed is loaded again.
 * The delays increase with each attempt.
 */
const RARELY_MS = 60_000;

/**
 * Synchronizes a registry with the files of a folder. `registry.watch` returns this object. It
 * scans the folder periodically, because change events are unreliable on some file systems.
 */
export class FolderWatch {
  readonly folder: string;
  readonly #intervalMs: number;
  readonly #report: (event: FileEvent) => void;
  readonly #closed: () => void;
  readonly #models: FolderModels;
  readonly #files = new Map<string, FileState>();
  readonly #clock: Clock;
  #timer: ClockTimer | undefined;
  #scanning: Promise<void> = Promise.resolve();
  #folderFault: string | undefined;
  #isClosed = false;

  constructor(
    folder: string,
    options: WatchOptions,
    parts: FolderModelsParts & { readonly clock: Clock; tell(event: FileEvent): void; closed(): void },
  ) {
    checkRegistryOptions(options, watchOptionNames, 'watch');
    const { intervalMs = 1000, alias = 'default', pin = false, register = {} } = options;
    if (!(typeof intervalMs === 'number' && intervalMs >= 0 && intervalMs <= GREATEST_MS)) {
      const expected = `intervalMs from 0 to ${GREATEST_MS}`;
      throw registryError('ERR_REGISTRY_OPTION', { expected, received: `${intervalMs}` });
    }
    this.folder = folder;
    this.#intervalMs = intervalMs;
    this.#clock = parts.clock;
    this.#report = parts.tell;
    this.#closed = parts.closed;
    this.#models = new FolderModels(parts, alias, { ...register, pin });
  }

  /** Returns the state of every file that a scan has found. */
  files(): WatchedFile[] {
    return [...this.#files].map(([file, { versions, error }]) => ({
      file,
      versions,
      ...(error !== undefined && { error }),
    }));
  }

  /**
   * Scans now. Adds new content immediately, without the wait for a second scan. Call it after all
   * writers have finished.
   */
  scan(): Promise<void> {
    return this.#next(false);
  }

  /** Stops scanning. Added versions stay in the registry. */
  async close(): Promise<void> {
    this.#isClosed = true;
    this.#timer?.cancel();
    this.#closed();
    await this.#scanning;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }

  /**
   * Runs the first scan. Adds versions without loading their models, because a folder can contain
   * thousands of files.
   *
   * @throws ERR_REGISTRY_FOLDER if the folder cannot be read.
   */
  async start(): Promise<void> {
    try {
      const found = await this.#list();
      await this.#models.first(found, (path, result) => this.#settle(path, found.get(path)!.id, result));
    } catch (error) {
      await this.close();
      throw error;
    }
    this.#plan();
  }

  #plan(): void {
    if (this.#isClosed || this.#intervalMs === 0) return;
    const look = () => void this.#next(true).then(() => this.#plan());
    this.#timer = this.#clock.setTimeout(look, this.#intervalMs).unref();
  }

  /** Starts a scan after the previous one has ended. Never rejects. */
  #next(isByClock: boolean): Promise<void> {
    this.#scanning = this.#scanning
      .then(() => this.#look(isByClock))
      .catch((error) => {
        // If the registry was closed during the scan, the error is expected. Other errors are
        // reported, and the next scan starts from the current state.
        if (!this.#isClosed) this.#report({ file: this.folder, change: 'refused', versions: [], error });
      });
    return this.#scanning;
  }

  async #look(isByClock: boolean): Promise<void> {
    if (this.#isClosed) return;
    let found: ReadonlyMap<string, FileIdentity>;
    try {
      found = await this.#list();
      this.#folderFault = undefined;
    } catch (error) {
      const { message } = error as Error;
      if (message !== this.#folderFault) this.#report({ file: this.folder, change: 'refused', versions: [], error });
      this.#folderFault = message;
      return;
    }
    for (const [path, identity] of found) if (!this.#isClosed) await this.#compare(path, identity, isByClock);
    for (const [path, state] of this.#files) if (!found.has(path)) this.#missing(path, state, isByClock);
    this.#models.removeLeftovers();
  }

  async #compare(path: string, { id, changedMs }: FileIdentity, isByClock: boolean): Promise<void> {
    const state = this.#files.get(path) ?? newState();
    this.#files.set(path, state);
    const stands = state.seen === id;
    state.seen = id;
    if (state.taken === id) {
      if (!stands) this.#models.unpin(state.versions);
      state.refused = undefined;
      state.error = undefined;
      return;
    }
    this.#models.pin(state.versions); // the file has other content, so they cannot be loaded again
    if (isByClock && !stands) return;
    if (state.refused !== id) state.attempts = 0;
    else if (isByClock && this.#clock.now() < state.retryAt) return;
    this.#settle(path, id, await this.#models.take(path, { id, changedMs }, state.versions));
  }

  #settle(
    path: string,
    id: string,
    result: { readonly versions: readonly string[] } | { readonly error: unknown },
  ): void {
    const state = this.#files.get(path) ?? newState();
    this.#files.set(path, state);
    state.seen = id;
    if ('error' in result) {
      state.refused = id;
      state.error = result.error;
      state.retryAt = this.#clock.now() + Math.min(RARELY_MS, this.#intervalMs * 2 ** ++state.attempts);
      this.#report({ file: path, change: 'refused', versions: state.versions, error: result.error });
    } else {
      state.taken = id;
      state.refused = undefined;
      state.error = undefined;
      state.versions = result.versions;
      this.#report({ file: path, change: 'taken', versions: result.versions });
    }
  }

  /**
   * Removes the versions of a file that two consecutive scans did not find. One scan is not enough,
   * because some tools delete a file before they write it again.
   */
  #missing(path: string, state: FileState, isByClock: boolean): void {
    if (isByClock && state.seen !== undefined) {
      state.seen = undefined;
      this.#models.pin(state.versions);
      return;
    }
    this.#files.delete(path);
    this.#models.drop(state.versions);
    this.#report({ file: path, change: 'gone', versions: state.versions });
  }

  async #list(): Promise<ReadonlyMap<string, FileIdentity>> {
    const found = new Map<string, FileIdentity>();
    try {
      const names = (await readdir(this.folder)).filter((name) => !name.startsWith('.') && FILES.has(extname(name)));
      for (const name of names.sort()) {
        const path = join(this.folder, name);
        // undefined if the file was deleted meanwhile, or is a folder
        const identity = await identify(path).catch(() => undefined);
        if (identity !== undefined) found.set(path, identity);
      }
    } catch (cause) {
      throw registryError('ERR_REGISTRY_FOLDER', { received: (cause as Error).message, at: this.folder, cause });
    }
    return found;
  }
}

function newState(): FileState {
  return {
    taken: undefined,
    refused: undefined,
    seen: undefined,
    versions: [],
    error: undefined,
    attempts: 0,
    retryAt: 0,
  };
}
