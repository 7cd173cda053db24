import { BackendError, type BackendFormat, type BackendOptions, backendError } from '@brezel/core';
import type { LibraryFacts, LibraryRef } from './messages.js';
import { installedAt, isProvider, packageOf, type TfjsProvider, tfjsProviders } from './providers.js';
import { messageOf, type RunLimit, WorkerThread } from './worker-thread.js';

/** A TensorFlow library that has passed its test, and the worker that has loaded it. */
export interface Library {
  readonly ref: LibraryRef;
  readonly thread: WorkerThread;
  readonly facts: LibraryFacts;
}

/** What `find` returns for a provider: its library, or the reason why it does not work. */
export type Finding =
  | { readonly provider: TfjsProvider; readonly library: Library }
  | { readonly provider: TfjsProvider; readonly why: string; readonly remedy: string };

/**
 * The TensorFlow libraries of one backend. Each library is tested once and runs in a separate
 * worker.
 */
export class Libraries {
  readonly #folder: string | undefined;
  readonly #limit: RunLimit;
  readonly #findings = new Map<TfjsProvider, Promise<Finding>>();
  readonly #libraries: Library[] = [];
  #isClosed = false;

  constructor(folder: string | undefined, limit: RunLimit) {
    this.#folder = folder;
    this.#limit = limit;
  }

  loaded(): readonly Library[] {
    return this.#libraries;
  }

  /**
   * Returns the library of a provider. Never throws. The result is cached, so only a new backend
   * finds a library that is installed later.
   */
  find(provider: TfjsProvider): Promise<Finding> {
    const known = this.#findings.get(provider);
    if (known !== undefined) return known;
    const finding = this.#tried(provider);
    this.#findings.set(provider, finding);
    return finding;
  }

  /**
   * Returns the library that opens a model with these options and this format.
   *
   * @throws ERR_BACKEND_MISSING, ERR_BACKEND_PROVIDER, ERR_BACKEND_CLOSED.
   */
  async choose(options: BackendOptions, format: BackendFormat): Promise<Library> {
    const { device = 'auto', providers = tfjsProviders } = options;
    const reasons: string[] = [];
    const remedies: string[] = [];
    for (const provider of providers) {
      if (this.#isClosed) throw backendError('ERR_BACKEND_CLOSED');
      const finding = await this.#asked(provider);
      const why = 'why' in finding ? finding.why : mismatch(finding.library, device, format);
      if ('library' in finding && why === undefined) return finding.library;
      reasons.push(`${provider}: ${why}`);
      if ('remedy' in finding) remedies.push(finding.remedy);
    }
    throw this.#notFound(reasons, remedies, options, format);
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    await Promise.all(this.#findings.values());
    await Promise.all(this.#libraries.map(({ thread }) => thread.close()));
    this.#libraries.length = 0;
  }

  async #asked(provider: string): Promise<Finding> {
    if (isProvider(provider)) return this.find(provider);
    const [expected, received] = [tfjsProviders.join(', '), provider];
    throw backendError('ERR_BACKEND_OPTION', { expected, received, at: 'providers' });
  }

  async #tried(provider: TfjsProvider): Promise<Finding> {
    const file = installedAt(provider, this.#folder);
    const remedy = `npm install ${packageOf(provider)}`;
    if (file === undefined) return { provider, why: 'not installed', remedy };
    const ref = { provider, file };
    const thread = new WorkerThread(this.#limit);
    try {
      const library = { ref, thread, facts: await thread.post('probe', { library: ref }) };
      this.#libraries.push(library);
      return { provider, library };
    } catch (error) {
      await thread.close();
      return { provider, why: `installed, but it does not work: ${reasonOf(error)}`, remedy: `${remedy} again` };
    }
  }

  #notFound(
    reasons: readonly string[],
    remedies: readonly string[],
    { providers }: BackendOptions,
    format: BackendFormat,
  ): Error {
    const received = reasons.join('; ');
    const expected = `a provider for ${format}`;
    const asked = providers ?? tfjsProviders;
    const todo = `${remedies.join(', or ')} (run \`brezel doctor\` to see what works on this machine)`;
    if (!asked.every((provider) => isProvider(provider) && installedAt(provider, this.#folder) === undefined))
      return backendError('ERR_BACKEND_PROVIDER', { expected, received, ...(remedies.length > 0 && { hint: todo }) });
    const any = 'npm install @tensorflow/tfjs-node (or @tensorflow/tfjs, which needs no build and is slower)';
    const hint = providers === undefined ? any : todo;
    return backendError('ERR_BACKEND_MISSING', { expected, received, hint });
  }
}

/**
 * Returns the reason in an error of the library test, without the text that Brezel puts before it.
 */
const reasonOf = (error: unknown) => (error instanceof BackendError && error.details.received) || messageOf(error);

/**
 * Returns why a working library cannot run a model on this device and in this format, or undefined
 * if it can.
 */
function mismatch({ facts }: Library, device: string, format: BackendFormat): string | undefined {
  if (device !== 'auto' && device !== facts.device) return `runs on the ${facts.device}`;
  if (format === 'saved-model' && !facts.savedModels) return 'cannot open a SavedModel: tfjs-node can';
  return undefined;
}
