import type { Compiler, DictionaryType, DType, ParameterValue, ValueType } from '@brezel/core';
import { elementCount, scalar } from '@brezel/core';
import type { ObjectStore, ParameterLease } from '@brezel/object-store';
import { ELEMENT_HINT, ofInput, ofNames, ofUsableSize } from './checks.js';
import { shown } from './custom/row-values.js';
import type { OperatorDefinition } from './define-op.js';
import { flourError } from './errors.js';
import { Flow, type FlowKind } from './flow.js';
import { checkLearned, checkNonFinite, checkNumbers, type LearnedNumbers, type NonFiniteChoice } from './learned.js';
import { placeOf } from './numbers.js';
import { Program, type ProgramNode, type Statistics } from './program.js';

/** Column names and element types of an input row. */
export type Schema = Readonly<Record<string, DType>>;

/** The kind of flow a column of an element type gives. */
export type ColumnKind<D extends DType> = D extends 'string' ? 'text' : 'scalar';

/** Named columns from which transformations start. */
export interface Columns<S extends Schema> {
  /** @throws ERR_FLOUR_NAME when there is no such column. */
  select<Name extends keyof S & string>(name: Name): Flow<ColumnKind<S[Name]>>;
}

export interface ApplyOptions {
  readonly attributes?: ProgramNode['attributes'];
  readonly parameters?: Readonly<Record<string, ParameterValue | ParameterLease>>;
  readonly statistics?: Statistics;
}

export interface AttemptOptions {
  /**
   * Learned parameters (weights, thresholds, leaves) with NaN, or with infinities where those mean nothing: `refuse` (the default of the outermost
   * attempt) or `allow`.
   */
  readonly nonFinite?: NonFiniteChoice | undefined;
  /** Called for each parameter before it is stored, with its number of elements. What it throws ends the attempt. */
  readonly onParameter?: ((elements: number) => void) | undefined;
}

const DICTIONARY_HINT = "dictionary('x', { keys: 'string', values: 'float32' }): both may be left out";
const PROGRAM_HINT = "program({ score: text.tokenize().wordNgram(...).logistic(...) }, { name: 'film' })";

/** Leases held before collected ones are looked for. */
const FIRST_SWEEP = 4096;

/**
 * Where programs are written: wraps the object store, into which every parameter goes once, and the compiler behind `plan()`.
 *
 * @example
 * const flour = await createFlour();
 * const text = flour.columns({ text: 'string' }).select('text');
 */
export class FlourContext {
  readonly store: ObjectStore;
  readonly compiler: Compiler<Program> | undefined;
  /** Every lease that somebody may hold, and how its reference is given back without it. */
  readonly #leases = new Map<WeakRef<ParameterLease>, () => void>();
  #sweepAt = FIRST_SWEEP;
  /** Leases of the attempt that is running. */
  #attempted: ParameterLease[] | undefined;
  #nonFinite: NonFiniteChoice = 'refuse';
  #onParameter: AttemptOptions['onParameter'];

  constructor(store: ObjectStore, compiler?: Compiler<Program>) {
    this.store = store;
    this.compiler = compiler;
  }

  /**
   * A named input of any type. `columns` is the shorter way for plain columns.
   *
   * @throws ERR_FLOUR_TYPE for what is no type, ERR_FLOUR_SIZE for one without elements or with too many.
   */
  input(name: string, type: ValueType): Flow<FlowKind> {
    if (name === '' || name === '__proto__')
      throw flourError('ERR_FLOUR_NAME', { expected: 'a name for the input', received: JSON.stringify(name) });
    ofInput(`input "${name}"`, type);
    const node: ProgramNode = Object.freeze({
      operator: undefined,
      name,
      inputs: [],
      attributes: {},
      parameters: {},
      type,
    });
    return new Flow(this, node);
  }

  /**
   * A named input of open keys: a row gives an object (or a Map) with as many entries as it has.
   *
   * @param options `values`: float32 (default), float64, int64, string, or mixed (numbers, texts, lists of texts); `keys`: string (default) or int64.
   * @example flour.dictionary('x').lookupKeys(['age', 'income'])
   */
  dictionary(name: string, options: Partial<Omit<DictionaryType, 'kind'>> = {}): Flow<'dictionary'> {
    ofNames('dictionary', 'options', options, DICTIONARY_HINT);
    const { keys = 'string', values = 'float32' } = options;
    placeOf('dictionary', 'keys', keys, ['string', 'int64']);
    placeOf('dictionary', 'values', values, ['float32', 'float64', 'int64', 'string', 'mixed']);
    return this.input(name, { kind: 'dictionary', keys, values }) as Flow<'dictionary'>;
  }

  /**
   * Input rows as objects: each column is one input of the program.
   *
   * @throws ERR_FLOUR_TYPE for what names no columns, or an element type that nobody knows.
   * @example
   * const { text } = flour.columns({ text: 'string', age: 'float32' });
   */
  columns<const S extends Schema>(schema: S): Columns<S> {
    ofNames('columns', 'names of columns with their element types', schema, ELEMENT_HINT);
    const flows = new Map(Object.entries(schema).map(([name, dtype]) => [name, this.input(name, scalar(dtype))]));
    return selection(flows);
  }

  /** Applies an operator: checks it, stores its parameters, and gives the flow of its result. The base of every fluent method. */
  apply<Kind extends FlowKind>(
    operator: OperatorDefinition,
    inputs: readonly Flow[],
    options: ApplyOptions = {},
  ): Flow<Kind> {
    const attributes = options.attributes ?? {};
    const given = Object.entries(options.parameters ?? {});
    const shapes = given.map(([name, value]) => {
      const { dtype, shape } = 'id' in value ? this.store.info(value.id) : value;
      return [name, { dtype: dtype as DType, shape }] as const;
    });
    const use = {
      inputs: inputs.map((input) => nodeOf(`an input of ${operator.name}`, input).type),
      attributes,
      parameters: Object.fromEntries(shapes),
    };
    const type = ofUsableSize(operator.name, operator.infer(use)); // throws before anything is stored
    if (this.#nonFinite === 'refuse') checkLearned(operator, given.filter(isValue));
    for (const [, value] of given) if (!('id' in value)) this.#onParameter?.(elementCount(value.shape));
    const parameters = given.map(([name, value]) => [name, this.own(value)] as const);
    return new Flow(
      this,
      Object.freeze({
        operator,
        inputs: inputs.map((input) => input.node),
        attributes,
        parameters: Object.fromEntries(parameters),
        type,
        ...(options.statistics && { statistics: options.statistics }),
      }),
    ) as Flow<Kind>;
  }

  /**
   * A program with named outputs. `inputs` fixes the order of its inputs, and keeps unused ones in its schema.
   *
   * @throws ERR_FLOUR_TYPE for what is no flow, ERR_FLOUR_GRAPH without outputs, ERR_FLOUR_NAME for two inputs of one name.
   */
  program(outputs: Readonly<Record<string, Flow>>, options: { name?: string; inputs?: readonly Flow[] } = {}): Program {
    ofNames('program', 'names of outputs with their flows', outputs, PROGRAM_HINT);
    ofNames('program', 'options', options, PROGRAM_HINT);
    const { name: title = 'program', inputs } = options;
    if (inputs !== undefined && !Array.isArray(inputs))
      throw notFlows('the inputs of a program', 'a list of flows', inputs);
    const named = Object.entries(outputs).map(([name, flow]) => ({
      name,
      node: nodeOf(`output "${name}" of a program`, flow),
    }));
    return new Program(
      this,
      title,
      named,
      inputs?.map((input, at) => nodeOf(`input ${at} of a program`, input)),
    );
  }

  /** A parameter computed from others, once while anybody holds it. `key` names the function and its inputs. */
  derive(key: string, build: () => ParameterValue): ParameterLease {
    return this.#track(this.store.lease(this.store.derive(key, build)));
  }

  /** A parameter of this context: stored, or held once more, until `dispose` or until nobody has it. */
  own(value: ParameterValue | ParameterLease): ParameterLease {
    if ('id' in value) this.store.retain(value.id);
    return this.#track(this.store.lease('id' in value ? value.id : this.store.put(value)));
  }

  /** What becomes of learned parameters that mean nothing, in the attempt that is running. */
  get nonFinite(): NonFiniteChoice {
    return this.#nonFinite;
  }

  /**
   * Checks numbers that training gave, as `apply` checks parameters: for operators that keep others, computed from them.
   *
   * @throws ERR_FLOUR_WEIGHT, naming the first number that means nothing.
   */
  learned(operator: string, name: string, values: ArrayLike<number | bigint>, wanted: LearnedNumbers): void {
    if (this.#nonFinite === 'refuse') checkNumbers(operator, name, values, wanted);
  }

  /**
   * Runs a function that writes programs; when it throws, every parameter it stored is given back.
   *
   * @throws what the function throws.
   * @example flour.attempt(() => features.linear({ weights: [Number.NaN, 1] }), { nonFinite: 'allow' })
   */
  attempt<T>(build: () => T, options: AttemptOptions = {}): T {
    const [outer, outerChoice, outerHook] = [this.#attempted, this.#nonFinite, this.#onParameter];
    const choice = options.nonFinite ?? outerChoice;
    checkNonFinite(choice);
    const stored: ParameterLease[] = [];
    this.#attempted = stored;
    this.#nonFinite = choice;
    this.#onParameter = options.onParameter ?? outerHook;
    try {
      return build();
    } catch (error) {
      for (const lease of stored) lease.release();
      throw error;
    } finally {
      this.#attempted = outer;
      this.#nonFinite = outerChoice;
      this.#onParameter = outerHook;
      outer?.push(...stored);
    }
  }

  /**
   * Gives back every parameter reference that programs of this context hold; plans keep their own. What importing left behind goes back to
   * the system too.
   */
  dispose(): void {
    for (const release of this.#leases.values()) release(); // of collected leases too: the store hears of those later
    this.#leases.clear();
    this.store.memory.trim?.();
  }

  [Symbol.dispose](): void {
    this.dispose();
  }

  /** Remembers a lease for `dispose`, and now and then sweeps out those that were collected. */
  #track(lease: ParameterLease): ParameterLease {
    this.#attempted?.push(lease);
    this.#leases.set(new WeakRef(lease), lease.release);
    if (this.#leases.size > this.#sweepAt) {
      for (const [known, release] of this.#leases) {
        if (known.deref() !== undefined) continue;
        release();
        this.#leases.delete(known);
      }
      this.#sweepAt = Math.max(FIRST_SWEEP, 2 * this.#leases.size);
    }
    return lease;
  }
}

/** @throws ERR_FLOUR_TYPE: plain JavaScript hands over what it has, a context's columns, say. */
function nodeOf(at: string, flow: Flow): ProgramNode {
  if (flow instanceof Flow) return flow.node;
  throw notFlows(at, 'a flow', flow);
}

const notFlows = (at: string, expected: string, value: unknown) =>
  flourError('ERR_FLOUR_TYPE', { expected, received: shown(value), at, hint: PROGRAM_HINT });

const isValue = (given: readonly [string, ParameterValue | ParameterLease]): given is [string, ParameterValue] =>
  !('id' in given[1]);

export function selection<S extends Schema>(flows: ReadonlyMap<string, Flow>): Columns<S> {
  return {
    select(name) {
      const flow = flows.get(name);
      if (flow !== undefined) return flow as never;
      const expected = `one of ${[...flows.keys()].join(', ')}`;
      throw flourError('ERR_FLOUR_NAME', { expected, received: `"${String(name)}"`, at: 'select' });
    },
  };
}
