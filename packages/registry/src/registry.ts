import { EventEmitter } from 'node:events';
import { type CompiledPlan, type InspectParameters, inspectKey, inspectView } from '@brezel/core';
import type { Answer, ExplainedAnswer, Row, Runtime, WithContributions } from '@brezel/runtime';
import { AliasChanges } from './alias-changes.js';
import { registryError } from './errors.js';
import type { RegistryEvents, RegistryTell, ShadowAnswer } from './events.js';
import type { Loader } from './loader.js';
import { answerManyRows } from './many-requests.js';
import { Models, type Target } from './models.js';
import {
  type AddOptions,
  type CanaryOptions,
  checkedRegistry,
  checkRegistryOptions,
  type DrainOptions,
  GREATEST_MS,
  type ModelDescription,
  methodOptions,
  type RegistryOptions,
  type RouteBatchOptions,
  type RouteCallOptions,
  type RouteManyOptions,
  type RouteOptions,
  type RoutePredictOptions,
  type ShadowOptions,
  type VersionDescription,
  within,
} from './options.js';
import { checkPart, DEFAULT_ALIAS, parseReference } from './reference.js';
import { Requests } from './requests.js';
import { answerRow, answerRows, type ChosenVersion, descriptionOf, Route } from './route.js';
import { checkSource, isPlan, type PlanSource } from './source.js';
import { aliasesOf, type RegistryStatistics, registryStatistics } from './statistics.js';
import type { ModelMap, TypedRegistry } from './typed-registry.js';
import { Version } from './version.js';
import { VersionRemoval } from './version-removal.js';

const DRAIN_MS = 10_000;

/**
 * Holds the versions and aliases of models, and answers requests to them. You can add and remove
 * versions while requests are answered.
 *
 * A reference is `name@version`, `name:alias`, or a name alone, which refers to the alias
 * `default`. A request uses the version to which the alias points at the time of the call. Later
 * changes of the alias do not affect the request.
 *
 * @typeParam Source the type of sources that `add` accepts besides compiled plans and
 * `PlanSource`s.
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

  /**
   * @param sourceOf converts a source of type `Source` to a `PlanSource`.
   * @param importsAtOnce number of model files that are imported at the same time.
   */
  constructor(
    runtime: Runtime,
    options: RegistryOptions = {},
    sourceOf: (source: Source) => CompiledPlan | PlanSource = (source) => source as PlanSource,
    importsAtOnce = 1,
  ) {
    super();
    const { budgetBytes, loadTimeoutMs, warm, quarantine } = checkedRegistry(options);
    const tell: RegistryTell = (name, ...event) => this.tell(name, ...event);
    this.#runtime = runtime;
    this.#sourceOf = sourceOf;
    this.#budgetBytes = budgetBytes;
    this.#quarantine = quarantine;
    this.#requests = new Requests({
      runtime,
      budgetBytes,
      loadTimeoutMs,
      warm,
      importsAtOnce,
      restMs: quarantine.restMs,
      tell,
    });
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
   * Adds a version. A compiled plan is registered immediately and stays loaded. Any other source is
   * loaded at the first prediction of the version, or by `load`.
   *
   * @returns `name@version`.
   * @throws ERR_REGISTRY_EXISTS, ERR_REGISTRY_REFERENCE, ERR_REGISTRY_SOURCE, ERR_REGISTRY_BUDGET.
   * After an error the registry is unchanged.
   * @example registry.add('sentiment', compiled, { version: '2025-11', aliases: ['production'] })
   */
  add(name: string, source: Source | CompiledPlan | PlanSource, options: AddOptions = {}): string {
    this.#checkOpen();
    checkRegistryOptions(options, methodOptions.add, 'add');
    const { version: requested, pin = false, aliases = [], ...register } = options;
    checkPart('name', name);
    const label = checkPart('version', `${requested ?? this.#models.nextVersion(name)}`);
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
   * Answers one row on the calling thread. The version must be loaded already.
   *
   * @throws ERR_REGISTRY_NOT_LOADED, ERR_REGISTRY_UNKNOWN, ERR_REGISTRY_QUARANTINED;
   * ERR_RUNTIME_INPUT when the row does not match the schema.
   */
  predictSync(reference: string, row: Row, options?: RouteOptions): Answer;
  predictSync(reference: string, row: Row, options: RoutePredictOptions & { out: Float64Array }): Float64Array;
  predictSync(reference: string, row: Row, options?: RoutePredictOptions): ShadowAnswer {
    if (options !== undefined) checkRegistryOptions(options, methodOptions.predictSync, 'predictSync');
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
   * Answers one row. If the version is not loaded, it loads the version first. With the option
   * `contributions`, the result also has the explanation of the answer, as in `Runtime.predict`.
   *
   * @throws ERR_REGISTRY_LOAD, ERR_REGISTRY_BUDGET, ERR_RUNTIME_DEADLINE, ERR_RUNTIME_OVERLOADED,
   * the reason of the signal, and the errors of `predictSync`.
   * @example await registry.predict('sentiment', 'a good film', { deadlineMs: 500, key: 'user 7' })
   */
  predict(
    reference: string,
    row: Row,
    options: Omit<RouteCallOptions, 'contributions'> & WithContributions,
  ): Promise<ExplainedAnswer>;
  predict(reference: string, row: Row, options?: RouteCallOptions): Promise<Answer>;
  async predict(
    reference: string,
    row: Row,
    options: RouteOptions & (RouteCallOptions | WithContributions) = {},
  ): Promise<Answer | ExplainedAnswer> {
    checkRegistryOptions(options, methodOptions.predict, 'predict');
    return answerRow(this.#choose(reference, options.key), row, options);
  }

  /**
   * Returns this registry with TypeScript types for the rows and answers of each model. The types
   * are not checked at run time.
   *
   * @typeParam Types the types of all models, from the file that the command `brezel types` writes:
   * `registry.typed<Models>()`.
   */
  typed<Types extends ModelMap>(): TypedRegistry<this, Types> {
    return this as never;
  }

  /**
   * Answers many rows in order, all with one version. Loads the version and throws errors as
   * `predict` does.
   */
  predictBatch(
    reference: string,
    rows: readonly Row[],
    options: Omit<RouteBatchOptions, 'contributions'> & WithContributions,
  ): Promise<ExplainedAnswer[]>;
  predictBatch(reference: string, rows: readonly Row[], options?: RouteBatchOptions): Promise<Answer[]>;
  async predictBatch(
    reference: string,
    rows: readonly Row[],
    options: RouteOptions & (RouteBatchOptions | WithContributions) = {},
  ): Promise<(Answer | ExplainedAnswer)[]> {
    checkRegistryOptions(options, methodOptions.predictBatch, 'predictBatch');
    return answerRows(this.#choose(reference, options.key), rows, options);
  }

  /**
   * Answers many rows with several versions, as `Runtime.predictManyBatch` does: stages that the
   * versions share run once for each block of rows. Returns one list of answers for each reference,
   * in the order of the references. Loads versions that are not loaded. The memory budget must
   * have room for all of them together.
   *
   * Each version counts one request, also if several references lead to it. If one version fails,
   * only this version counts a failure, and no version has an answer.
   *
   * @param references any number of references; duplicates are allowed.
   * @throws the errors of `predictBatch`; ERR_REGISTRY_UNKNOWN for an unknown reference, and then
   * no version was loaded.
   * @example
   * registry.add('a', compiled);
   * registry.add('b', compiled);
   * const [ofA, ofB] = await registry.predictManyBatch(['a', 'b'], ['good', 'bad']);
   * ofA.length; // => 2
   */
  async predictManyBatch(
    references: readonly string[],
    rows: readonly Row[],
    options: RouteManyOptions = {},
  ): Promise<Answer[][]> {
    this.#checkOpen();
    checkRegistryOptions(options, methodOptions.predictManyBatch, 'predictManyBatch');
    if (!Array.isArray(references))
      throw registryError('ERR_REGISTRY_REFERENCE', {
        expected: 'an array of references',
        received: references === null ? 'null' : typeof references,
        at: 'predictManyBatch',
      });
    const { key, ...call } = options;
    // `Array.from` reads a hole in the list as undefined, which is an invalid reference
    const targets = Array.from(references, (reference) => this.#targets.get(reference) ?? this.#missing(reference));
    // after all references are found, because a canary counts each choice
    const chosen = targets.map((target) => this.#chosen(target, key));
    return answerManyRows(chosen, rows, call, { runtime: this.#runtime, requests: this.#requests });
  }

  /**
   * Chooses the version that answers a request, as `predict` does, and returns a route with `load`,
   * `predict` and `predictBatch` of this version. If the alias has a canary, the split between the
   * version and the canary counts this call as one request.
   *
   * @throws ERR_REGISTRY_UNKNOWN, ERR_REGISTRY_REFERENCE
   * @example
   * registry.add('reviews', compiled);
   * const route = registry.route('reviews', { key: 'user 7' });
   * const { inputs } = await route.load();
   * await route.predict('a good film');
   * route.version; // 'reviews@1'
   */
  route(reference: string, options?: RouteOptions): Route {
    if (options !== undefined) checkRegistryOptions(options, methodOptions.route, 'route');
    return new Route(this.#choose(reference, options?.key));
  }

  /**
   * Returns the version that answers the next request, as `name@version`, for a log or for a later
   * call. If the alias has a canary, the split between the version and the canary counts this call
   * as one request.
   *
   * @example registry.resolve('sentiment:production', { key: 'user 7' }) // 'sentiment@2025-11'
   */
  resolve(reference: string, options?: RouteOptions): string {
    if (options !== undefined) checkRegistryOptions(options, methodOptions.resolve, 'resolve');
    return (this.#targets.get(reference) ?? this.#missing(reference)).pick(options?.key).reference;
  }

  /** Returns whether a reference names an existing version or alias. */
  has(reference: string): boolean {
    return this.#targets.has(reference);
  }

  /**
   * Loads a version, so that its first prediction does not wait. Returns the inputs and outputs of
   * the version.
   */
  async load(reference: string): Promise<VersionDescription> {
    const version = this.#version(reference);
    return descriptionOf(version.reference, await this.#requests.load(version));
  }

  /**
   * Unloads a version; its next prediction loads it again. Returns false, without an effect, if the
   * version has requests in flight, is not loaded, or cannot be loaded again.
   */
  unload(reference: string): boolean {
    const version = this.#version(reference);
    if (version.plan === undefined || version.source === undefined || version.inFlight > 0) return false;
    this.#loader.unload(version, 'asked');
    return true;
  }

  /**
   * Pins a version, so that the registry does not unload it when other versions need memory.
   * Pinning does not load the version.
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
   * Points an alias to a version, starting with the next request. This ends a canary of the alias.
   * Requests in flight continue on their version.
   *
   * @param reference `name:alias`, or the name alone for its alias `default`.
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
   * Loads a version, then points an alias to it. No request waits for the load, and the alias never
   * points to a version that fails to load.
   *
   * @returns false if another caller changed the alias during the load. The alias then stays as
   * that caller set it.
   */
  async promote(reference: string, version: string | number): Promise<boolean> {
    this.#checkOpen();
    return this.#aliases.promote(reference, version, () => this.#checkOpen());
  }

  /**
   * Removes an alias. After the removal of the alias `default`, the name alone is no longer a valid
   * reference.
   */
  removeAlias(reference: string): void {
    this.#checkOpen();
    this.#aliases.remove(reference);
  }

  /**
   * Undoes the last change of an alias. Starting a canary counts as a change.
   *
   * @throws ERR_REGISTRY_NO_PREVIOUS if the alias has no earlier state.
   */
  rollback(reference: string): void {
    this.#checkOpen();
    this.#aliases.rollback(reference);
  }

  /**
   * Sends a percentage of an alias's requests to another version, the canary. Requests with the
   * same key always use the same version. When you increase the percentage, the keys that use the
   * canary continue to use it, and more keys join them.
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
    checkRegistryOptions(options, methodOptions.canary, 'canary');
    this.#aliases.canary(reference, options);
  }

  /**
   * Also runs the requests of an alias on another version, and compares the answers. The event
   * `shadow` and `stats()` report the result. The shadow runs after the caller has received its
   * answer, so its time and its errors do not affect the caller. Pass undefined to end the shadow.
   *
   * Cost: a copy of every sampled row (at most 256 rows of a batch), and the predictions of the
   * shadow.
   */
  shadow(reference: string, options: ShadowOptions | undefined): void {
    this.#checkOpen();
    if (options !== undefined) checkRegistryOptions(options, methodOptions.shadow, 'shadow');
    this.#aliases.shadow(reference, options);
  }

  /**
   * Removes a version (`name@version`), or a model with all its versions (`name`). New requests for
   * a removed version fail immediately. Requests in flight are still answered, including requests
   * that wait for a load.
   *
   * @returns true if all requests in flight were answered. If `drainMs` passes first, returns
   * false, and the unanswered requests fail with ERR_REGISTRY_REMOVED.
   * @throws ERR_REGISTRY_ALIASED if an alias points to the version.
   */
  async remove(reference: string, options: DrainOptions = {}): Promise<boolean> {
    this.#checkOpen();
    checkRegistryOptions(options, methodOptions.remove, 'remove');
    const { drainMs = DRAIN_MS } = options;
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

  /** Returns the names of the models. */
  names(): string[] {
    return Array.from(this.#models.all(), ({ name }) => name);
  }

  /** Returns the versions and aliases of a model, or undefined for an unknown name. */
  model(name: string): ModelDescription | undefined {
    const model = this.#models.get(name);
    return model && { name, versions: [...model.versions.keys()], aliases: aliasesOf(model) };
  }

  /**
   * Returns statistics: versions with their states, aliases with their versions, and bytes. Cost:
   * proportional to the number of plans and their parameters.
   */
  stats(): RegistryStatistics {
    return registryStatistics(this.#models.all(), this.#removal.leaving, this.#runtime, this.#budgetBytes);
  }

  /**
   * Removes all versions. Requests in flight may continue for `drainMs`; other requests fail with
   * ERR_REGISTRY_CLOSED. A runtime that you passed to the constructor stays open.
   */
  close(options: DrainOptions = {}): Promise<void> {
    checkRegistryOptions(options, methodOptions.close, 'close');
    const { drainMs = DRAIN_MS } = options;
    this.#closing ??= this.onClose(this.#removal.removeAll(within('drainMs', drainMs, 0, GREATEST_MS)));
    return this.#closing;
  }

  [inspectKey](...parameters: InspectParameters): string {
    const versions = Array.from(this.#models.all(), (model) =>
      Array.from(model.versions.values(), ({ reference }) => reference),
    );
    const aliases = [...this.#targets.keys()].filter((reference) => reference.includes(':'));
    return inspectView('Registry', { versions: versions.flat(), aliases, budgetBytes: this.#budgetBytes }, parameters);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }

  /**
   * Closes the additional resources of a subclass. The registry calls it once, after it has stopped
   * accepting requests.
   */
  protected onClose(drained: Promise<void>): Promise<void> {
    return drained;
  }

  /**
   * Throws if the registry is closed.
   * @throws ERR_REGISTRY_CLOSED
   */
  #checkOpen(): void {
    if (this.#closing !== undefined) throw registryError('ERR_REGISTRY_CLOSED');
  }

  #missing(reference: string): Target {
    this.#checkOpen();
    return this.#models.target(reference);
  }

  /**
   * Returns the version that a reference names. For an alias, it returns the version to which the
   * alias points, not its canary.
   */
  #version(reference: string): Version {
    const target = this.#targets.get(reference) ?? this.#missing(reference);
    return target instanceof Version ? target : target.version;
  }

  #choose(reference: string, key: RouteOptions['key']): ChosenVersion {
    return this.#chosen(this.#targets.get(reference) ?? this.#missing(reference), key);
  }

  #chosen(target: Target, key: RouteOptions['key']): ChosenVersion {
    return { target, version: target.pick(key), requests: this.#requests, runtime: this.#runtime };
  }

  #askShadow(version: Version, rows: readonly Row[], asNumbers: boolean): Promise<readonly ShadowAnswer[]> {
    return this.#requests.serve<readonly ShadowAnswer[]>(version, {}, async (plan) => {
      if (!asNumbers) return this.#runtime.predictBatch(plan, rows);
      return rows.map((row) => this.#runtime.predictSync(plan, row, new Float64Array(plan.width)));
    });
  }

  /**
   * Emits an event after the current call of the registry has returned. A listener that throws or
   * changes the registry therefore cannot disturb the call.
   */
  protected tell<Name extends keyof RegistryEvents>(name: Name, ...event: RegistryEvents[Name]): void {
    if (this.listenerCount(name) === 0) return;
    process.nextTick(() => (this as EventEmitter).emit(name, ...event));
  }
}
