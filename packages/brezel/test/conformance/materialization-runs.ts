import { bake, createFlour, createRuntime, type OwnedPlan, type RegisteredPlan, type Row, type Runtime } from 'brezel';
import fc from 'fast-check';
import { difference } from './engines.js';
import { anyText, buildPipeline, type PipelineShape, pipelineShape } from './random-programs.js';

const PLANS = 4;
const TEXTS = 10;
const STEPS = 100;
/**
 * Pairs of budgets in bytes: of the addon, and of JavaScript. A budget has room for few entries,
 * many entries, or all entries.
 */
const SIZES = [
  [8192, 2 ** 24],
  [2 ** 24, 8192],
  [65_536, 1024],
  [1024, 16_384],
] as const;

const verb = fc.constantFrom(
  'answer',
  'answer',
  'answer',
  'numbers',
  'batch',
  'many',
  'promises',
  'register',
  'unregister',
);
type Step = readonly [verb: string, plan: number, text: number];
const step: fc.Arbitrary<Step> = fc.tuple(verb, fc.nat(PLANS - 1), fc.nat(TEXTS - 1));

/**
 * Returns pipelines with one featurizer and different heads. One of the heads returns another
 * shape.
 */
const family = ({ head, ...shape }: PipelineShape): PipelineShape[] =>
  Array.from({ length: PLANS }, (_, at) => ({
    ...shape,
    head: { ...head, kind: at === 1 ? 'linear' : head.kind, weights: head.weights.map((weight) => weight * (at + 1)) },
  }));

/**
 * Checks families of random pipelines in a runtime that materializes shared stages. Predictions,
 * registrations and removals come in random order, with any of the budgets. The answers must have
 * the bits of a runtime without materialization, the cache must not exceed the budget, and the
 * removal of the last plan must leave nothing in the store. Returns the number of cache hits and of
 * evictions.
 */
export async function checkMaterialization(numRuns: number, seed: number) {
  const flour = await createFlour();
  const { store } = flour;
  const plain = createRuntime({ store, materialization: false });
  const tried = { hits: 0, evictions: 0 };
  const property = fc.asyncProperty(
    pipelineShape,
    fc.array(anyText, { minLength: TEXTS, maxLength: TEXTS, size: 'max' }),
    fc.array(step, { minLength: STEPS, maxLength: STEPS }),
    fc.constantFrom(...SIZES),
    fc.boolean(),
    async (shape, texts, steps, [forNative, forJavaScript], exact) => {
      const compiled = family(shape).map((one) => bake(buildPipeline(flour, one), { exact }));
      const rows = texts.map((text) => ({ text }));
      for (const native of [true, false]) {
        const maxBytes = native ? forNative : forJavaScript;
        const runtime = createRuntime({ store, native, materialization: { maxBytes } });
        const run = new Run(plain, runtime, compiled, rows);
        for (const [verb, plan, text] of steps) await run.step(verb, plan, text);
        const { hits, evictions } = await run.end();
        tried.hits += hits;
        tried.evictions += evictions;
      }
      for (const plan of compiled) plan.release();
      flour.dispose();
    },
  );
  await fc.assert(property, { numRuns, seed });
  await plain.close();
  return tried;
}

/** A family in a runtime with materialization, and the same family in a runtime without it. */
class Run {
  readonly #plain: Runtime;
  readonly #runtime: Runtime;
  readonly #compiled: readonly OwnedPlan[];
  readonly #rows: readonly Row[];
  readonly #wanted: readonly RegisteredPlan[];
  readonly #plans: (RegisteredPlan | undefined)[];

  constructor(plain: Runtime, runtime: Runtime, compiled: readonly OwnedPlan[], rows: readonly Row[]) {
    this.#plain = plain;
    this.#runtime = runtime;
    this.#compiled = compiled;
    this.#rows = rows;
    this.#wanted = compiled.map((plan) => plain.register(plan));
    this.#plans = compiled.map((plan) => runtime.register(plan));
  }

  async step(verb: string, at: number, text: number): Promise<void> {
    const plan = this.#plans[at];
    if (verb === 'register') this.#plans[at] ??= this.#runtime.register(this.#compiled[at]!);
    else if (verb === 'many' || verb === 'promises') await this.#askAll(verb, text);
    else if (plan !== undefined) await this.#askOne(verb, plan, at, text);
    const { bytes, maxBytes } = this.#runtime.stats().materialization!;
    if (bytes > maxBytes) throw new Error(`${bytes} bytes are kept, ${maxBytes} may be`);
  }

  async end(): Promise<{ hits: number; evictions: number }> {
    for (const plan of this.#plans) if (plan !== undefined) this.#runtime.unregister(plan);
    for (const plan of this.#wanted) this.#plain.unregister(plan);
    const { entries, bytes, stages, ...counted } = this.#runtime.stats().materialization!;
    if (entries + bytes + stages > 0) throw new Error(`${entries} results of ${stages} stages stay behind`);
    await this.#runtime.close();
    return counted;
  }

  async #askOne(verb: string, plan: RegisteredPlan, at: number, text: number): Promise<void> {
    const [row, wanted] = [this.#rows[text]!, this.#wanted[at]!];
    switch (verb) {
      case 'answer':
        return same(verb, this.#runtime.predictSync(plan, row), this.#plain.predictSync(wanted, row));
      case 'numbers': {
        const [got, want] = [new Float64Array(plan.width), new Float64Array(plan.width)];
        return same(
          verb,
          [...this.#runtime.predictSync(plan, row, got)],
          [...this.#plain.predictSync(wanted, row, want)],
        );
      }
      case 'batch': {
        const rows = this.#rows.slice(0, text + 1);
        return same(verb, await this.#runtime.predictBatch(plan, rows), await this.#plain.predictBatch(wanted, rows));
      }
      default:
        this.#runtime.unregister(plan);
        this.#plans[at] = undefined;
    }
  }

  /**
   * Predicts with all registered plans, sometimes in reverse order, and with the first one twice.
   */
  async #askAll(verb: string, text: number): Promise<void> {
    const there = this.#plans.flatMap((plan, at) => (plan === undefined ? [] : [at]));
    const asked = [...(text % 2 === 0 ? there : there.toReversed()), ...there.slice(0, 1)];
    const [row, plans] = [this.#rows[text]!, asked.map((at) => this.#plans[at]!)];
    const want = asked.map((at) => this.#plain.predictSync(this.#wanted[at]!, row));
    if (verb === 'promises') same(verb, await this.#runtime.predictMany(plans, row), want);
    else same(verb, this.#runtime.predictManySync(plans, row), want);
    const out = new Float64Array(plans.reduce((sum, { width }) => sum + width, 0));
    const numbers = asked.map((at) =>
      this.#plain.predictSync(this.#wanted[at]!, row, new Float64Array(this.#wanted[at]!.width)),
    );
    same(
      `${verb}, numbers`,
      [...this.#runtime.predictManySync(plans, row, out)],
      numbers.flatMap((one) => [...one]),
    );
  }
}

function same(verb: string, got: unknown, want: unknown): void {
  const found = difference(got, want);
  if (found !== undefined) throw new Error(`${verb}: ${found}`);
}
