import { BackendError, type BackendFormat, type BackendOptions, backendError } from '@brezel/core';
import { Lane, messageOf } from './lane.js';
import type { LibraryFacts, LibraryRef } from './messages.js';
import { installedAt, isProvider, packageOf, type TfjsProvider, tfjsProviders } from './providers.js';

/** A library that answered right, and the worker it is in. */
export interface Library {
  readonly ref: LibraryRef;
  readonly lane: Lane;
  readonly facts: LibraryFacts;
}

/** A provider as it was found: a library, or why there is none. */
export type Finding =
  | { readonly provider: TfjsProvider; readonly library: Library }
  | { readonly provider: TfjsProvider; readonly why: string; readonly remedy: string };

/** The libraries of one backend, each tried once and held in a worker of its own. */
export class Libraries {
  readonly #folder: string | undefined;
  readonly #maxRunMs: number | undefined;
  readonly #findings = new Map<TfjsProvider, Promise<Finding>>();
  readonly #libraries: Library[] = [];
  #isClosed = false;

  constructor(folder: string | undefined, maxRunMs: number | undefined) {
    this.#folder = folder;
    this.#maxRunMs = maxRunMs;
  }

  loaded(): readonly Library[] {
    return this.#libraries;
  }

  /** Never throws. What is found stays found; a library that is installed later needs a new backend. */
  find(provider: TfjsProvider): Promise<Finding> {
    const known = this.#findings.get(provider);
    if (known !== undefined) return known;
    const finding = this.#tried(provider);
    this.#findings.set(provider, finding);
    return finding;
  }

  /** @throws ERR_BACKEND_MISSING, ERR_BACKEND_PROVIDER, ERR_BACKEND_CLOSED. */
  async choose(options: BackendOptions, format: BackendFormat): Promise<Library> {
    const { device = 'auto', providers = tfjsProviders } = options;
    const reasons: string[] = [];
    const remedies: string[] = [];
    for (const provider of providers) {
      if (this.#isClosed) throw backendError('ERR_BACKEND_CLOSED');
      const finding = await this.#asked(provider);
      const why = 'why' in finding ? finding.why : misfit(finding.library, device, format);
      if ('library' in finding && why === undefined) return finding.library;
      reasons.push(`${provider}: ${why}`);
      if ('remedy' in finding) remedies.push(finding.remedy);
    }
    throw this.#refusal(reasons, remedies, options, format);
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    await Promise.all(this.#findings.values());
    await Promise.all(this.#libraries.map(({ lane }) => lane.close()));
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
    const lane = new Lane(this.#maxRunMs);
    try {
      const library = { ref, lane, facts: await lane.post('probe', { library: ref }) };
      this.#libraries.push(library);
      return { provider, library };
    } catch (fault) {
      await lane.close();
      return { provider, why: `installed, but it does not work: ${reasonOf(fault)}`, remedy: `${remedy} again` };
    }
  }

  #refusal(
    reasons: readonly string[],
    remedies: readonly string[],
    { providers }: BackendOptions,
    format: BackendFormat,
  ): Error {
    const received = reasons.join('; ');
    const expected = `a provider for ${format}`;
    const asked = providers ?? tfjsProviders;
    const todo = `${remedies.join(', or ')} (\`brezel doctor\` tells what works here)`;
    if (!asked.every((provider) => isProvider(provider) && installedAt(provider, this.#folder) === undefined))
      return backendError('ERR_BACKEND_PROVIDER', { expected, received, ...(remedies.length > 0 && { hint: todo }) });
    const any = 'npm install @tensorflow/tfjs-node (or @tensorflow/tfjs, which needs no build and is slower)';
    const hint = providers === undefined ? any : todo;
    return backendError('ERR_BACKEND_MISSING', { expected, received, hint });
  }
}

/** What the library said, without what we say to it. */
const reasonOf = (fault: unknown) => (fault instanceof BackendError && fault.details.received) || messageOf(fault);

/** Why a library that works is not the one. */
function misfit({ facts }: Library, device: string, format: BackendFormat): string | undefined {
  if (device !== 'auto' && device !== facts.device) return `runs on the ${facts.device}`;
  if (format === 'saved-model' && !facts.savedModels) return 'cannot open a SavedModel: tfjs-node can';
  return undefined;
}
