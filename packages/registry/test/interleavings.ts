import { createRegistry, createRuntime, type ModelRegistry, type OwnedPlan, openStore } from 'brezel';
import fc from 'fast-check';
import { codeOf, constantPlan, nextTurn, numberOf } from './models.js';

// Random interleavings of all methods of a registry, compared with a simple model of a registry.

const NAMES = ['a', 'b'];
const ALIASES = ['default', 'live'];
const OWN_BYTES = 4000;
/**
 * The largest number of versions in a run. Each version has a different answer, which identifies
 * it.
 */
const PLANS = 16;

const small = fc.nat({ max: 1000 });
const step = fc.record({
  verb: fc.constantFrom(
    ...[
      'add',
      'add',
      'addPlan',
      'setAlias',
      'setAlias',
      'promote',
      'canary',
      'rollback',
      'shadow',
      'unload',
      'pin',
      'unpin',
    ],
    ...[
      'remove',
      'removeAtOnce',
      'removeModel',
      'sync',
      'sync',
      'predict',
      'predict',
      'predict',
      'batch',
      'turn',
      'turn',
    ],
  ),
  name: fc.constantFrom(...NAMES),
  alias: fc.constantFrom(...ALIASES),
  version: small,
  number: small,
});
type Step = typeof step extends fc.Arbitrary<infer T> ? T : never;

interface Meaning {
  readonly version: string;
  readonly canary?: string;
}
interface ModelledAlias {
  meaning: Meaning;
  previous: Meaning[];
  shadow?: string | undefined;
}
interface Modelled {
  readonly versions: Map<string, { readonly answer: number; readonly failures: number }>;
  readonly aliases: Map<string, ModelledAlias>;
}

/**
 * The number of requests, and the number of requests with an answer. The other requests failed as
 * expected.
 */
interface Tally {
  asked: number;
  answered: number;
}

/** @param runs the number of runs. A run has some dozen steps over plans that are compiled once. */
export async function checkInterleavings(runs: number, seed: number): Promise<Tally> {
  const tally: Tally = { asked: 0, answered: 0 };
  const store = await openStore();
  const plans = await Promise.all(Array.from({ length: PLANS }, (_, answer) => constantPlan(store, answer, OWN_BYTES)));
  const runtime = createRuntime({ store });
  const registered = plans.slice(0, 3).map((plan) => runtime.register(plan));
  const memoryBudgetBytes = runtime.parameterBytes();
  for (const plan of registered) runtime.unregister(plan);
  const property = fc.asyncProperty(fc.array(step, { minLength: 5, maxLength: 80, size: 'max' }), async (steps) => {
    const registry = await createRegistry({ runtime, memoryBudgetBytes, quarantineAfter: 3, quarantineMs: 0 });
    const run = new Run(registry, plans, memoryBudgetBytes, tally);
    for (const one of steps) await run.do(one);
    await run.finish();
    if (runtime.parameterBytes() !== 0 || runtime.stats().plans.length > 0) throw new Error('plans stay behind');
  });
  await fc.assert(property, { numRuns: runs, seed });
  for (const plan of plans) plan.release();
  await runtime.close();
  if (store.stats().objects > 0) throw new Error('parameters stay behind');
  return tally;
}

class Run {
  readonly #registry: ModelRegistry;
  readonly #plans: readonly OwnedPlan[];
  readonly #budget: number;
  readonly #models = new Map<string, Modelled>();
  readonly #requests: Promise<void>[] = [];
  /**
   * The answers of the versions that were removed with `drainMs: 0`. Requests in flight to them may
   * fail.
   */
  readonly #takenAway = new Set<number>();
  readonly #tally: Tally;
  #added = 0;
  #settled = 0;

  constructor(registry: ModelRegistry, plans: readonly OwnedPlan[], budget: number, tally: Tally) {
    this.#registry = registry;
    this.#plans = plans;
    this.#budget = budget;
    this.#tally = tally;
  }

  async do(one: Step): Promise<void> {
    if (one.verb === 'turn') await nextTurn();
    else if (one.verb === 'sync' || one.verb === 'predict' || one.verb === 'batch') await this.#ask(one);
    else if (one.verb === 'add' || one.verb === 'addPlan') await this.#add(one);
    else await this.#change(one);
    this.#checkBudget();
  }

  /** Waits until every request has an outcome. */
  async finish(): Promise<void> {
    await this.#registry.close();
    await Promise.all(this.#requests);
    if (this.#settled !== this.#requests.length) throw new Error('requests were lost');
  }

  #checkBudget(): void {
    const { bytes } = this.#registry.stats();
    if (bytes > this.#budget) throw new Error(`${bytes} bytes of ${this.#budget}`);
  }

  async #add({ verb, name, number }: Step): Promise<void> {
    if (this.#added === this.#plans.length) return;
    const answer = this.#added++;
    const plan = this.#plans[answer]!;
    const failures = number % 5 === 0 ? 1 + (number % 4) : 0;
    let left = failures;
    const source = {
      load: async () => {
        for (let turn = 0; turn < number % 4; turn++) await nextTurn();
        if (left-- > 0) throw new Error('not yet');
        return { plan: { ...plan, release: undefined } };
      },
    };
    const code = await codeOf(() =>
      this.#registry.add(name, verb === 'add' ? source : plan, { version: `v${answer}` }),
    );
    if (code !== undefined) {
      expectOneOf(code, verb === 'add' ? [] : ['ERR_REGISTRY_BUDGET']);
      return;
    }
    const model = this.#models.get(name) ?? { versions: new Map(), aliases: new Map() };
    this.#models.set(name, model);
    model.versions.set(`v${answer}`, { answer, failures });
    if (model.versions.size === 1) setAlias(model, 'default', `v${answer}`);
  }

  async #change({ verb, name, alias, version: at, number }: Step): Promise<void> {
    const registry = this.#registry;
    const model = this.#models.get(name);
    const versions = [...(model?.versions.keys() ?? [])];
    const version = versions[at % Math.max(1, versions.length)];
    if (model === undefined || version === undefined) return;
    const reference = `${name}:${alias}`;
    const modelled = model.aliases.get(alias);
    switch (verb) {
      case 'setAlias':
        registry.setAlias(reference, version);
        return setAlias(model, alias, version);
      case 'promote': // it may succeed at any time, because no other step uses this alias
        this.#later(
          registry.promote(`${name}:promoted`, version).then(() => {}),
          this.#loadCodes(model, version),
        );
        return;
      case 'canary': {
        if (modelled === undefined) return;
        registry.canary(reference, { to: version, percent: number % 101 });
        const meaning = { version: modelled.meaning.version, canary: version };
        if (modelled.meaning.canary !== version) modelled.previous.push(modelled.meaning);
        modelled.meaning = meaning;
        return;
      }
      case 'rollback': {
        if (modelled === undefined) return;
        const previous = modelled.previous.pop();
        const code = await codeOf(() => registry.rollback(reference));
        if ((code === undefined) !== (previous !== undefined)) throw new Error(`rollback: ${code}`);
        if (previous !== undefined) modelled.meaning = previous;
        return;
      }
      case 'shadow':
        if (modelled === undefined) return;
        modelled.shadow = number % 3 === 0 ? undefined : version;
        return registry.shadow(reference, modelled.shadow === undefined ? undefined : { to: version, concurrency: 2 });
      case 'unload':
        registry.unload(`${name}@${version}`);
        return;
      case 'pin':
        return registry.pin(`${name}@${version}`);
      case 'unpin':
        return registry.unpin(`${name}@${version}`);
      case 'removeModel':
        this.#later(
          registry.remove(name).then(() => {}),
          [],
        );
        this.#models.delete(name);
        return;
      case 'remove':
      case 'removeAtOnce':
        return this.#remove(model, name, version, verb === 'removeAtOnce');
    }
  }

  #remove(model: Modelled, name: string, version: string, atOnce: boolean): void {
    const reached = [...model.aliases.values()].some(
      ({ meaning, shadow }) => meaning.version === version || meaning.canary === version || shadow === version,
    );
    const mayBeMeant = reached || this.#registry.has(`${name}:promoted`);
    if (atOnce) this.#takenAway.add(model.versions.get(version)!.answer);
    const removed = this.#registry.remove(`${name}@${version}`, atOnce ? { drainMs: 0 } : {});
    // After `remove`, the version is either still registered or completely removed.
    const isThere = this.#registry.has(`${name}@${version}`);
    if (isThere !== reached && !mayBeMeant) throw new Error(`${name}@${version} should be gone`);
    if (isThere && atOnce) this.#takenAway.delete(model.versions.get(version)!.answer);
    if (!isThere) this.#forget(model, version);
    this.#later(
      removed.then(() => {}),
      isThere ? ['ERR_REGISTRY_ALIASED'] : [],
    );
  }

  #forget(model: Modelled, version: string): void {
    model.versions.delete(version);
    for (const alias of model.aliases.values())
      alias.previous = alias.previous.filter((one) => one.version !== version && one.canary !== version);
  }

  #loadCodes(model: Modelled, version: string): string[] {
    const { failures = 0 } = model.versions.get(version) ?? {};
    const failing = failures > 0 ? ['ERR_REGISTRY_LOAD'] : [];
    return [
      ...failing,
      'ERR_REGISTRY_BUDGET',
      'ERR_REGISTRY_QUARANTINED',
      'ERR_REGISTRY_UNKNOWN',
      'ERR_REGISTRY_REMOVED',
      'ERR_REGISTRY_CLOSED',
    ];
  }

  #later(request: Promise<void>, codes: readonly string[]): void {
    const settled = request.then(
      () => void this.#settled++,
      (error) => {
        expectOneOf(error.code ?? `${error}`, codes);
        this.#settled++;
      },
    );
    settled.catch(() => {}); // finish() reports the error
    this.#requests.push(settled);
  }

  async #ask({ verb, name, alias, version: at, number }: Step): Promise<void> {
    const model = this.#models.get(name);
    const meaning = model?.aliases.get(alias)?.meaning;
    const versions = [...(model?.versions.keys() ?? [])];
    const byVersion = number % 3 === 0 && versions.length > 0;
    const meant = byVersion
      ? [versions[at % versions.length]!]
      : meaning && [meaning.version, ...(meaning.canary === undefined ? [] : [meaning.canary])];
    const reference = byVersion ? `${name}@${meant![0]}` : `${name}:${alias}`;
    if (meant === undefined)
      return expectOneOf(await codeOf(() => this.#registry.predict(reference, 'x')), ['ERR_REGISTRY_UNKNOWN']);
    const known = meant.map((one) => model!.versions.get(one)!);
    const answers = known.map(({ answer }) => answer);
    const check = (given: readonly number[], rows: number) => {
      if (given.length !== rows || new Set(given).size !== 1 || !answers.includes(given[0]!))
        throw new Error(`${reference} answered ${given}; it meant ${answers}`);
      this.#tally.answered++;
    };
    this.#tally.asked++;
    // A version that exceeds the memory budget goes into quarantine, like other versions that fail
    // to load.
    const codes = [
      'ERR_REGISTRY_BUDGET',
      'ERR_REGISTRY_QUARANTINED',
      ...(known.some(({ failures }) => failures > 0) ? ['ERR_REGISTRY_LOAD'] : []),
    ];
    const options = number % 2 === 0 ? { key: at } : {};
    if (verb === 'sync') {
      const code = await codeOf(() => check([numberOf(this.#registry.predictSync(reference, 'x', options))], 1));
      return expectOneOf(code, [undefined, 'ERR_REGISTRY_NOT_LOADED', 'ERR_REGISTRY_QUARANTINED']);
    }
    const rows = verb === 'predict' ? 1 : 1 + (number % 700);
    const asked =
      verb === 'predict'
        ? this.#registry.predict(reference, 'x', options).then((answer) => check([numberOf(answer)], 1))
        : this.#registry
            .predictBatch(reference, new Array(rows).fill('x'), options)
            .then((all) => check(all.map(numberOf), rows));
    const request = asked.catch((error) => {
      if (error.code === 'ERR_REGISTRY_REMOVED' && answers.some((answer) => this.#takenAway.has(answer))) return;
      throw error;
    });
    this.#later(request, codes);
  }
}

function setAlias(model: Modelled, alias: string, version: string): void {
  const known = model.aliases.get(alias);
  if (known === undefined) {
    model.aliases.set(alias, { meaning: { version }, previous: [] });
  } else if (known.meaning.version !== version || known.meaning.canary !== undefined) {
    known.previous.push(known.meaning);
    if (known.previous.length > 16) known.previous.shift();
    known.meaning = { version };
  }
}

function expectOneOf(code: string | undefined, codes: readonly (string | undefined)[]): void {
  if (!codes.includes(code)) throw new Error(`${code} is none of ${codes}`);
}
