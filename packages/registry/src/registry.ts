import { EventEmitter } from 'node:events';
import type { CompiledPlan } from '@brezel/core';
import type { Answer, CallOptions, EngineName, RegisteredPlan, Row, Runtime } from '@brezel/runtime';
import { AliasChanges } from './alias-changes.js';
import { registryError } from './errors.js';
import type { RegistryEvents, RegistryTell, ShadowAnswer } from './events.js';
import type { Loader } from './loader.js';
import { Models, type Target } from './models.js';
import {
  type AddOptions,
  type CanaryOptions,
  checkedRegistry,
  type DrainOptions,
  GREATEST_MS,
  type ModelDescription,
  type RegistryOptions,
  type RouteCallOptions,
  type RouteOptions,
  type RoutePredictOptions,
  type ShadowOptions,
  type VersionDescription,
  within,
} from './options.js';
import { checkPart, DEFAULT_ALIAS, parseReference } from './reference.js';
import { Requests } from './requests.js';
import { checkSource, isPlan, type PlanSource } from './source.js';
import { aliasesOf, type RegistryStatistics, registryStatistics } from './statistics.js';
import { Version } from './version.js';
import { VersionRemoval } from './version-removal.js';

const DRAIN_MS = 10_000;

/**
 * Models by name, version and alias: plans that come and go while requests are answered.
 *
 * A reference is `name@version`, `name:alias`, or the name alone, which is its alias `default`. A
 * request goes to the version that the alias means at the moment of the call, and is answered by it
 * whatever happens to the alias meanwhile.
 *
 * @typeParam Source what versions are made of, beside compiled plans and `PlanSource`s.
 */
export class PlanRegistry<Source = PlanSource> extends EventEmitter<RegistryEvents> {
  readonly #runtime: Runtime;
  readonly #sourceOf: (source: Source) => CompiledPlan | PlanSource;
  readonly #models = new Models();
  readonly #targets = this.#models.targets;
  readonly #requests: Requests;
  readonly #loader: Loader;
  readonly #budgetBytes: number;
  readonly #quarantine: { readonly failures: number; readonly restMs: number };
  readonly #removal: VersionRemoval;
  readonly #aliases: AliasChanges;
  #closing: Promise<void> | undefined;

  /** @param sourceOf what to make of sources that are neither plans nor `PlanSource`s. */
  constructor(
    runtime: Runtime,
    options: RegistryOptions = {},
    sourceOf: (source: Source) => CompiledPlan | PlanSource = (source) => source as PlanSource,
  ) {
    super();
    const { budgetBytes, loadTimeoutMs, quarantine } = checkedRegistry(options);
    const tell: RegistryTell = (name, ...event) => this.tell(name, ...event);
    this.#runtime = runtime;
    this.#sourceOf = sourceOf;
    this.#budgetBytes = budgetBytes;
    this.#quarantine = quarantine;
    this.#requests = new Requests({ runtime, budgetBytes, loadTimeoutMs, restMs: quarantine.restMs, tell });
    this.#loader = this.#requests.loader;
    this.#aliases = new AliasChanges({
      models: this.#models,
      tell,
      load: (reference) => this.load(reference),
      ask: (version, rows, asNumbers) => this.#askShadow(version, rows, asNumbers),
    });
    this.#removal = new VersionRemoval(this.#models, this.#loader, (event) => tell('removed', event));
  }

  /**
   * Adds a version. A compiled plan is registered at once and stays; anything else is loaded at its
   * first prediction, or by `load`.
   *
   * @returns `name@version`.
   * @throws ERR_REGISTRY_EXISTS, ERR_REGISTRY_REFERENCE, ERR_REGISTRY_SOURCE, ERR_REGISTRY_BUDGET.
   * Nothing stays behind after an error.
   * @example registry.add('sentiment', compiled, { version: '2025-11', aliases: ['production'] })
   */
  add(name: string, source: Source | CompiledPlan | PlanSource, options: AddOptions = {}): string {
    this.#checkOpen();
    const { version: given, pin = false, aliases = [], ...register } = options;
    checkPart('name', name);
    const label = checkPart('version', `${given ?? this.#models.nextVersion(name)}`);
    for (const alias of aliases) checkPart('alias', alias);
    this.#models.checkFree(name, label);
    const from = checkSource(this.#sourceOf(source as Source));
    const resident = isPlan(from) ? from : undefined;
    const version = new Version({
      name,
      version: label,
      source: isPlan(from) ? undefined : from,
      isPinned: pin,
      register,
      quarantine: this.#quarantine,
      clock: this.#runtime.clock,
    });
    if (resident !== undefined) this.#loader.take(version, { plan: resident });
    const model = this.#models.add(version);
    this.tell('added', { version: version.reference });
    if (model.versions.size === 1) this.#aliases.changed(this.#models.setAlias(model, DEFAULT_ALIAS, version));
    for (const alias of aliases) this.#aliases.changed(this.#models.setAlias(model, alias, version));
    return version.reference;
  }

  /**
   * Answers one row on the calling thread. It cannot wait for a load.
   *
   * @throws ERR_REGISTRY_NOT_LOADED, ERR_REGISTRY_UNKNOWN, ERR_REGISTRY_QUARANTINED;
   * ERR_RUNTIME_INPUT when the row does not fit the schema.
   */
  predictSync(reference: string, row: Row, options?: RouteOptions): Answer;
  predictSync(reference: string, row: Row, options: RoutePredictOptions & { out: Float64Array }): Float64Array;
  predictSync(reference: string, row: Row, options?: RoutePredictOptions): ShadowAnswer {
    const target = this.#targets.get(reference) ?? this.#missing(reference);
    const version = target.pick(options?.key);
    const { plan } = version;
    if (plan === undefined) throw this.#requests.notLoaded(version);
    this.#requests.enter(version);
    version.requests++;
    let answer: ShadowAnswer;
    try {
      answer = this.#runtime.predictSync(plan, row, options?.out as Float64Array);
      this.#requests.succeeded(version);
    } catch (error) {
      throw this.#requests.failureOf(version, error);
    } finally {
      version.leave();
    }
    target.shadow?.offerRow(version, row, answer, plan.width);
    return answer;
  }

  /**
   * Answers one row, after loading the version where that is needed.
   *
   * @throws ERR_REGISTRY_LOAD, ERR_REGISTRY_BUDGET, ERR_RUNTIME_DEADLINE, ERR_RUNTIME_OVERLOADED,
   * the signal's reason, and as `predictSync`.
   * @example await registry.predict('sentiment', 'a good film', { deadlineMs: 500, key: 'user 7' })
   */
  async predict(reference: string, row: Row, options: RouteCallOptions = {}): Promise<Answer> {
    const target = this.#targets.get(reference) ?? this.#missing(reference);
    const version = target.pick(options.key);
    const run = (plan: RegisteredPlan, rest?: CallOptions) => this.#runtime.predict(plan, row, rest);
    const answer = await this.#requests.serve(version, options, run);
    target.shadow?.offerRow(version, row, answer, 0);
    return answer;
  }

  /** Answers many rows, in order, all by one version. As `predict`. */
  async predictBatch(
    reference: string,
    rows: readonly Row[],
    options: RouteCallOptions & { readonly engine?: EngineName } = {},
  ): Promise<Answer[]> {
    const { key, engine } = options;
    const target = this.#targets.get(reference) ?? this.#missing(reference);
    const version = target.pick(key);
    const run = (plan: RegisteredPlan, rest?: CallOptions) =>
      this.#runtime.predictBatch(plan, rows, { ...(engine && { engine }), ...rest });
    const answers = await this.#requests.serve(version, options, run);
    target.shadow?.offerRows(version, rows, answers);
    return answers;
  }

  /**
   * The version that answers next, as a reference of its own: for a log, or to ask it. Counts as a
   * request for the share of a canary.
   *
   * @example registry.resolve('sentiment:production', { key: 'user 7' }) // 'sentiment@2025-11'
   */
  resolve(reference: string, options?: RouteOptions): string {
    return (this.#targets.get(reference) ?? this.#missing(reference)).pick(options?.key).reference;
  }

  /** Whether a reference means something. */
  has(reference: string): boolean {
    return this.#targets.has(reference);
  }

  /**
   * Loads a version, so that its first prediction does not wait, and tells what it takes and gives.
   */
  async load(reference: string): Promise<VersionDescription> {
    const version = this.#version(reference);
    const { inputs, outputs, width, engine } = await this.#requests.load(version);
    return { version: version.reference, inputs, outputs, width, engine };
  }

  /**
   * Unloads a version; its next prediction loads it again. False for one that is in use, not
   * loaded, or cannot be loaded again.
   */
  unload(reference: string): boolean {
    const version = this.#version(reference);
    if (version.plan === undefined || version.source === undefined || version.inFlight > 0) return false;
    this.#loader.unload(version, 'asked');
    return true;
  }

  /**
   * A pinned version is not unloaded to make room for others. It is loaded when it is asked for, as
   * ever.
   */
  pin(reference: string): void {
    this.#version(reference).isPinned = true;
  }

  unpin(reference: string): void {
    this.#version(reference).isPinned = false;
  }

  /** Ends the quarantine of a version. */
  release(reference: string): void {
    this.#requests.succeeded(this.#version(reference));
  }

  /**
   * Makes an alias mean a version, from the next request on; a canary of the alias ends. Requests
   * that are under way stay where they are.
   *
   * @param reference `name:alias`, or the name alone for its `default`.
   * @throws ERR_REGISTRY_UNKNOWN
   * @example
   * const next = registry.add('reviews', compiled);
   * registry.setAlias('reviews:production', next.split('@')[1]);
   */
  setAlias(reference: string, version: string | number): void {
    this.#checkOpen();
    this.#aliases.set(reference, version);
  }

  /**
   * Loads a version, then makes an alias mean it: no request waits for the load, and an alias never
   * means what cannot be loaded.
   *
   * @returns false when the alias was changed meanwhile by somebody else: then it stays as that
   * made it.
   */
  async promote(reference: string, version: string | number): Promise<boolean> {
    this.#checkOpen();
    return this.#aliases.promote(reference, version, () => this.#checkOpen());
  }

  /** Takes an alias away. `default` too: then the name alone means nothing. */
  removeAlias(reference: string): void {
    this.#checkOpen();
    this.#aliases.remove(reference);
  }

  /**
   * Makes an alias mean what it meant before its last change; a canary that was begun is such a
   * change.
   *
   * @throws ERR_REGISTRY_NO_PREVIOUS
   */
  rollback(reference: string): void {
    this.#checkOpen();
    this.#aliases.rollback(reference);
  }

  /**
   * Sends a share of an alias's requests to another version. By key where requests bring one: who
   * was among five per cent is among twenty, too.
   *
   * @example
   * registry.add('films', compiled, { version: 1 });
   * registry.add('films', compiled, { version: 2 });
   * registry.canary('films', { to: 2, percent: 5 });
   * registry.canary('films', { to: 2, percent: 20 });
   * registry.rollback('films'); // or registry.setAlias('films', 2)
   */
  canary(reference: string, options: CanaryOptions): void {
    this.#checkOpen();
    this.#aliases.canary(reference, options);
  }

  /**
   * Asks another version, too, what an alias was asked, and compares: see the event `shadow` and
   * `stats()`. Callers are not touched: neither by its time, for it is asked afterwards, nor by its
   * errors. Undefined ends it.
   *
   * Cost: a copy of every sampled row, of a batch at most 256; the shadow's own predictions.
   */
  shadow(reference: string, options: ShadowOptions | undefined): void {
    this.#checkOpen();
    this.#aliases.shadow(reference, options);
  }

  /**
   * Removes a version (`name@version`) or a model with all its versions (`name`). From now on they
   * are unknown; requests that are in flight, also those that wait for a load, are still answered.
   *
   * @returns true when all of them were; false when `drainMs` was over: then they got
   * ERR_REGISTRY_REMOVED.
   * @throws ERR_REGISTRY_ALIASED when an alias means the version.
   */
  async remove(reference: string, { drainMs = DRAIN_MS }: DrainOptions = {}): Promise<boolean> {
    this.#checkOpen();
    within('drainMs', drainMs, 0, GREATEST_MS);
    const { name, version: label, alias } = parseReference(reference);
    const model = this.#models.model(name);
    if (alias !== undefined) {
      const expected = '"name@version" or "name"';
      throw registryError('ERR_REGISTRY_REFERENCE', { expected, received: JSON.stringify(reference) });
    }
    const versions = label === undefined ? [...model.versions.values()] : [this.#models.version(model, label)];
    if (label !== undefined) this.#removal.checkUnaliased(versions[0]!);
    return this.#removal.remove(versions, drainMs);
  }

  /** Names of the models. */
  names(): string[] {
    return Array.from(this.#models.all(), ({ name }) => name);
  }

  /** Versions and aliases of a model; undefined when there is none of this name. */
  model(name: string): ModelDescription | undefined {
    const model = this.#models.get(name);
    return model && { name, versions: [...model.versions.keys()], aliases: aliasesOf(model) };
  }

  /**
   * What there is: versions with their states, aliases with what they mean, bytes. Cost: O(plans
   * and their parameters).
   */
  stats(): RegistryStatistics {
    return registryStatistics(this.#models.all(), this.#removal.leaving, this.#runtime, this.#budgetBytes);
  }

  /**
   * Removes everything. Requests in flight may go on for `drainMs`; others get ERR_REGISTRY_CLOSED.
   * The runtime stays open: it belongs to whoever made it.
   */
  close({ drainMs = DRAIN_MS }: DrainOptions = {}): Promise<void> {
    this.#closing ??= this.onClose(this.#removal.removeAll(within('drainMs', drainMs, 0, GREATEST_MS)));
    return this.#closing;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }

  /** What else closing means; called once, when no request is let in any more. */
  protected onClose(drained: Promise<void>): Promise<void> {
    return drained;
  }

  /** @throws ERR_REGISTRY_CLOSED */
  #checkOpen(): void {
    if (this.#closing !== undefined) throw registryError('ERR_REGISTRY_CLOSED');
  }

  #missing(reference: string): Target {
    this.#checkOpen();
    return this.#models.target(reference);
  }

  /** The version of a reference; of an alias, the one that it means, canary or not. */
  #version(reference: string): Version {
    const target = this.#targets.get(reference) ?? this.#missing(reference);
    return target instanceof Version ? target : target.version;
  }

  #askShadow(version: Version, rows: readonly Row[], asNumbers: boolean): Promise<readonly ShadowAnswer[]> {
    return this.#requests.serve<readonly ShadowAnswer[]>(version, {}, async (plan) => {
      if (!asNumbers) return this.#runtime.predictBatch(plan, rows);
      return rows.map((row) => this.#runtime.predictSync(plan, row, new Float64Array(plan.width)));
    });
  }

  /**
   * Listeners run after the call that caused the event: what they throw, or change here, cannot
   * come between its steps.
   */
  protected tell<Name extends keyof RegistryEvents>(name: Name, ...event: RegistryEvents[Name]): void {
    if (this.listenerCount(name) === 0) return;
    process.nextTick(() => (this as EventEmitter).emit(name, ...event));
  }
}
