import { readdir } from 'node:fs/promises';
import { extname, join } from 'node:path';
import type { Clock, ClockTimer } from '@brezel/core';
import { type FileEvent, registryError } from '@brezel/registry';
import { type FileIdentity, identify } from './file-identity.js';
import { FolderModels, type FolderModelsParts } from './folder-models.js';

export interface WatchOptions {
  /** How often to look. Default 1000 ms; 0: only when `scan` is called. */
  readonly intervalMs?: number;
  /** The alias that follows the newest version of each model. Default `default`; false: none does. */
  readonly alias?: string | false;
  /** Pin what is added. Default false. */
  readonly pin?: boolean;
}

/** A file of the folder as it stands. */
export interface WatchedFile {
  readonly file: string;
  /** `name@version` of what it brought. */
  readonly versions: readonly string[];
  /** Why the file as it is now was refused; the versions are then those of the file before. */
  readonly error?: unknown;
}

interface FileState {
  /** What it was when its versions were added. */
  taken: string | undefined;
  /** What it was when it was refused. */
  refused: string | undefined;
  /** What it was when it was last looked at: a file is taken when it stands still. */
  seen: string | undefined;
  versions: readonly string[];
  error: unknown;
  attempts: number;
  retryAt: number;
}

const FILES: ReadonlySet<string> = new Set(['.onnx', '.brezel']);
const GREATEST_MS = 2 ** 31 - 1;
/** A refused file that does not change is tried again, more and more rarely. */
const RARELY_MS = 60_000;

/**
 * Compares a folder with the registry again and again. What counts is how the folder looks, and not which changes were reported: none can be missed, on
 * any file system. Made by `registry.watch`.
 */
export class FolderWatch {
  readonly folder: string;
  readonly #intervalMs: number;
  readonly #tell: (event: FileEvent) => void;
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
    const { intervalMs = 1000, alias = 'default', pin = false } = options;
    if (!(typeof intervalMs === 'number' && intervalMs >= 0 && intervalMs <= GREATEST_MS)) {
      const expected = `intervalMs from 0 to ${GREATEST_MS}`;
      throw registryError('ERR_REGISTRY_OPTION', { expected, received: `${intervalMs}` });
    }
    this.folder = folder;
    this.#intervalMs = intervalMs;
    this.#clock = parts.clock;
    this.#tell = parts.tell;
    this.#closed = parts.closed;
    this.#models = new FolderModels(parts, alias, pin);
  }

  /** What the folder holds, as far as it was seen. */
  files(): WatchedFile[] {
    return [...this.#files].map(([file, { versions, error }]) => ({
      file,
      versions,
      ...(error !== undefined && { error }),
    }));
  }

  /** Looks now, and takes every file as it is: to be called when what was written there is complete. */
  scan(): Promise<void> {
    return this.#next(false);
  }

  /** Stops looking. What was added stays. */
  async close(): Promise<void> {
    this.#isClosed = true;
    this.#timer?.cancel();
    this.#closed();
    await this.#scanning;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }

  /** The first look. Models are added without being loaded: there may be thousands. @throws ERR_REGISTRY_FOLDER */
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

  /** One look after the other. Never rejects. */
  #next(isByClock: boolean): Promise<void> {
    this.#scanning = this.#scanning
      .then(() => this.#look(isByClock))
      .catch((error) => {
        // The registry is closed under its hands; anything else is told, and the next look starts afresh.
        if (!this.#isClosed) this.#tell({ file: this.folder, change: 'refused', versions: [], error });
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
      if (message !== this.#folderFault) this.#tell({ file: this.folder, change: 'refused', versions: [], error });
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
      if (!stands) this.#models.unkeep(state.versions);
      state.refused = undefined;
      state.error = undefined;
      return;
    }
    this.#models.keep(state.versions); // they cannot be loaded again
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
      this.#tell({ file: path, change: 'refused', versions: state.versions, error: result.error });
    } else {
      state.taken = id;
      state.refused = undefined;
      state.error = undefined;
      state.versions = result.versions;
      this.#tell({ file: path, change: 'taken', versions: result.versions });
    }
  }

  /** Gone when it is missing twice: some tools remove a file before they write it again. */
  #missing(path: string, state: FileState, isByClock: boolean): void {
    if (isByClock && state.seen !== undefined) {
      state.seen = undefined;
      this.#models.keep(state.versions);
      return;
    }
    this.#files.delete(path);
    this.#models.drop(state.versions);
    this.#tell({ file: path, change: 'gone', versions: state.versions });
  }

  async #list(): Promise<ReadonlyMap<string, FileIdentity>> {
    const found = new Map<string, FileIdentity>();
    try {
      const names = (await readdir(this.folder)).filter((name) => !name.startsWith('.') && FILES.has(extname(name)));
      for (const name of names.sort()) {
        const path = join(this.folder, name);
        const identity = await identify(path).catch(() => undefined); // removed meanwhile, or a folder
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
