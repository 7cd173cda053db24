import type {
  Compiler,
  DictionaryType,
  DictionaryValue,
  DType,
  ErrorDetails,
  NonFiniteChoice,
  ParameterValue,
  ValueType,
} from '@brezel/core';
import { elementCount, scalar } from '@brezel/core';
import type { ObjectStore, ParameterLease } from '@brezel/object-store';
import { checkAttributes } from './attribute-values.js';
import { ELEMENT_HINT, ofInput, ofNames, ofUsableSize } from './checks.js';
import { shown } from './custom/row-values.js';
import type { OperatorDefinition } from './define-op.js';
import { flourError } from './errors.js';
import { Flow, type FlowKind } from './flow.js';
import type { ColumnKind, ElementOf, Field, FieldElement, FieldOf, InputKind, InputValue } from './flow-types.js';
import { checkLearned, checkNonFinite, checkNumbers, type LearnedNumbers } from './learned.js';
import { placeOf } from './numbers.js';
import { checkParameterTypes } from './parameter-types.js';
import { Program, type ProgramNode, type Statistics } from './program.js';
import type { AnyFlow, ProgramAnswer, ProgramRow } from './program-types.js';

/** Column names and element types of an input row. */
export type Schema = Readonly<Record<string, DType>>;

/** The columns of an input row, by name. Each column is one input of the program. */
export interface Columns<S extends Schema> {
  /**
   * Returns the flow of a column.
   *
   * @throws ERR_FLOUR_NAME for an unknown column.
   */
  select<Name extends keyof S & string>(
    name: Name,
  ): Flow<ColumnKind<S[Name]>, Field<Name, FieldElement<S[Name]>>, ElementOf<S[Name]>>;
}

/** Options of `FlourContext.apply`, which adds an operator to a program. */
export interface ApplyOptions {
  /** The settings of the operator. Plans share a stage only if its attributes are equal. */
  readonly attributes?: ProgramNode['attributes'];
  /**
   * The parameters by name: arrays, or references to parameters in the store (`ParameterLease`).
   */
  readonly parameters?: Readonly<Record<string, ParameterValue | ParameterLease>>;
  /** Statistics about the result from training. Rules of Oven may read them. */
  readonly statistics?: Statistics;
}

/** Options of `FlourContext.attempt`, which runs a function that builds programs. */
export interface AttemptOptions {
  /**
   * Whether learned parameters (weights, thresholds, leaves) may hold NaN, or infinities where an
   * infinity is invalid. `refuse` throws ERR_FLOUR_WEIGHT; `allow` accepts them. Default: the
   * choice of the enclosing attempt. Without an enclosing attempt: `refuse`.
   */
  readonly nonFinite?: NonFiniteChoice | undefined;
  /**
   * Called with the number of elements of each parameter, before the parameter is stored. If it
   * throws, `attempt` throws the same error.
   */
  readonly onParameter?: ((elements: number) => void) | undefined;
}

/**
 * Checks that an importer received a context.
 *
 * @param fail creates the error of the importer's package.
 * @throws the error of `fail`.
 */
export function checkContext(flour: FlourContext, fail: (details: ErrorDetails) => Error, at: string): void {
  if (typeof flour?.attempt === 'function') return;
  const value: unknown = flour;
  const isObject = typeof value === 'object' && value !== null;
  const received = isObject ? `an object of class ${value.constructor?.name ?? 'null'}` : String(value);
  const hint = `const flour = await createFlour(); ${at}(bytes, flour)`;
  throw fail({ expected: 'a FlourContext as the second argument', received, at, hint });
}

const PROGRAM_HINT = "program({ score: text.tokenize().wordNgram(...).logistic(...) }, { name: 'film' })";

/**
 * When a context lists more than this many parameter leases, it removes the entries of leases that
 * were garbage collected. The limit grows with the number of the remaining entries.
 */
const FIRST_SWEEP = 4096;

/**
 * Builds programs. A context contains the object store, which holds equal parameters once, and the
 * compiler that `plan()` calls.
 *
 * @example
 * const flour = await createFlour();
 * const text = flour.columns({ text: 'string' }).select('text');
 */
export class FlourContext {
  readonly store: ObjectStore;
  readonly compiler: Compiler<Program> | undefined;
  /**
   * The parameter leases that programs of this context may still hold. The value of each entry is a
   * function that releases the lease.
   */
  readonly #leases = new Map<WeakRef<ParameterLease>, () => void>();
  #sweepAt = FIRST_SWEEP;
  /** The parameter leases that were created in the current call of `attempt`. */
  #attempted: ParameterLease[] | undefined;
  #nonFinite: NonFiniteChoice = 'refuse';
  #onParameter: AttemptOptions['onParameter'];

  constructor(store: ObjectStore, compiler?: Compiler<Program>) {
    this.store = store;
    this.compiler = compiler;
  }

  /**
   * Declares a named input of any type. For inputs with one number or text per row, `columns` is
   * shorter.
   *
   * @throws ERR_FLOUR_TYPE for an invalid type; ERR_FLOUR_SIZE for a type with no elements or too
   * many.
   * @example flour.input('features', vector('float32', 30))
   */
  input<const Name extends string, const Type extends ValueType>(
    name: Name,
    type: Type,
  ): Flow<InputKind<Type>, Field<Name, FieldOf<Type>>, InputValue<Type>> {
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
   * Declares a named input of type dictionary. Its value in a row is an object or a Map with any
   * number of entries.
   *
   * @param options `values`: float32 (default), float64, int64, string, or mixed (numbers, texts,
   * lists of texts); `keys`: string (default) or int64.
   * @throws ERR_FLOUR_PARAM for an unknown key or value type.
   * @example flour.dictionary('x').lookupKeys(['age', 'income'])
   */
  dictionary<const Name extends string, const Values extends DictionaryValue = 'float32'>(
    name: Name,
    options: Partial<Omit<DictionaryType<Values>, 'kind'>> = {},
  ): Flow<'dictionary', Field<Name, FieldOf<DictionaryType<Values>>>, InputValue<DictionaryType<Values>>> {
    const { keys = 'string', values = 'float32' } = options;
    placeOf('dictionary', 'keys', keys, ['string', 'int64']);
    placeOf('dictionary', 'values', values, ['float32', 'float64', 'int64', 'string', 'mixed']);
    return this.input(name, { kind: 'dictionary', keys, values: values as Values });
  }

  /**
   * Declares input rows as objects: each column that the program reads becomes one input.
   *
   * @throws ERR_FLOUR_TYPE for a schema that is not an object, or an unknown element type.
   * @example
   * const text = flour.columns({ text: 'string', age: 'float32' }).select('text');
   */
  columns<const S extends Schema>(schema: S): Columns<S> {
    ofNames('columns', 'names of columns with their element types', schema, ELEMENT_HINT);
    const flows = new Map(Object.entries(schema).map(([name, dtype]) => [name, this.input(name, scalar(dtype))]));
    return selection(flows);
  }

  /**
   * Applies an operator to flows: checks the use, stores the parameters, and returns the flow of
   * the result. Every fluent method calls it.
   *
   * @throws the errors of the operator's `infer`; ERR_FLOUR_TYPE for an input that is not a flow,
   * or for a parameter of another element type; ERR_FLOUR_SIZE for a result that is too large;
   * ERR_FLOUR_PARAM for an invalid attribute; ERR_FLOUR_WEIGHT for invalid learned parameters.
   * Nothing is stored then.
   */
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
    // Throws before anything is stored.
    const type = ofUsableSize(operator.name, operator.infer(use));
    checkParameterTypes(operator, use);
    checkAttributes(operator, use);
    if (this.#nonFinite === 'refuse') checkLearned(operator, given.filter(isValue), this.store.memory.numbers);
    const replacement = operator.replacement?.(
      inputs.map(({ node }) => node),
      (name) => valueIn(this.store, options.parameters![name]!),
    );
    if (replacement !== undefined) return this.apply(replacement.operator, inputs, { ...options, ...replacement });
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
   * Builds a program with named outputs. `inputs` sets the order of the program's inputs. It may
   * contain inputs that no output uses; rows may then contain them.
   *
   * @throws ERR_FLOUR_TYPE for a value that is not a flow; ERR_FLOUR_GRAPH for a program without
   * outputs; ERR_FLOUR_NAME for two inputs of one name.
   * @example flour.program({ score: features.linear({ weights: [0.5, -1], bias: 0.25 }) }, { name: 'churn' })
   */
  program<
    const Outputs extends Readonly<Record<string, AnyFlow>>,
    const Inputs extends readonly AnyFlow[] = readonly [],
  >(
    outputs: Outputs,
    options: { readonly name?: string | undefined; readonly inputs?: Inputs | undefined } = {},
  ): Program<ProgramRow<Outputs, Inputs>, ProgramAnswer<Outputs>> {
    ofNames('program', 'names of outputs with their flows', outputs, PROGRAM_HINT);
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

  /**
   * Returns a parameter that `build` computes from other parameters. If the store already holds the
   * parameter for `key`, it does not call `build`. `key` must identify the computation and its
   * inputs.
   */
  derive(key: string, build: () => ParameterValue): ParameterLease {
    return this.#track(this.store.lease(this.store.derive(key, build)));
  }

  /**
   * Stores a parameter for this context, or adds a reference to a stored one. The reference is
   * released by `dispose`, or after the returned lease was garbage collected.
   */
  own(value: ParameterValue | ParameterLease): ParameterLease {
    if ('id' in value) this.store.retain(value.id);
    return this.#track(this.store.lease('id' in value ? value.id : this.store.put(value)));
  }

  /**
   * The option `nonFinite` of the current call of `attempt`: whether learned parameters may hold
   * NaN, or infinities where an infinity is invalid.
   */
  get nonFinite(): NonFiniteChoice {
    return this.#nonFinite;
  }

  /**
   * Checks learned numbers in the same way as `apply`. An operator calls this method if it
   * transforms the numbers before it stores them.
   *
   * @throws ERR_FLOUR_WEIGHT, with the first invalid number.
   */
  learned(operator: string, name: string, values: ArrayLike<number | bigint>, wanted: LearnedNumbers): void {
    if (this.#nonFinite === 'refuse') checkNumbers(operator, name, values, wanted, this.store.memory.numbers);
  }

  /**
   * Runs a function that builds programs. If the function throws, all parameters that the function
   * stored are released.
   *
   * @throws the error of the function.
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
   * Releases every parameter reference that programs of this context hold. Plans have separate
   * references and stay valid. It also returns freed memory to the operating system.
   */
  dispose(): void {
    // This also releases leases that were garbage collected, because the store learns of a
    // collection only later.
    for (const release of this.#leases.values()) release();
    this.#leases.clear();
    this.store.memory.trim?.();
  }

  [Symbol.dispose](): void {
    this.dispose();
  }

  /**
   * Records a parameter lease, so that `dispose` releases it. From time to time, removes leases
   * that were garbage collected.
   */
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

/**
 * Returns the node of a flow.
 *
 * @throws ERR_FLOUR_TYPE if the value is not a flow. Plain JavaScript may pass the result of
 * `columns`, for example.
 */
function nodeOf(at: string, flow: Flow): ProgramNode {
  if (flow instanceof Flow) return flow.node;
  throw notFlows(at, 'a flow', flow);
}

const notFlows = (at: string, expected: string, value: unknown) =>
  flourError('ERR_FLOUR_TYPE', { expected, received: shown(value), at, hint: PROGRAM_HINT });

const valueIn = (store: ObjectStore, given: ParameterValue | ParameterLease): ParameterValue =>
  'id' in given ? store.get(given.id) : given;

const isValue = (given: readonly [string, ParameterValue | ParameterLease]): given is [string, ParameterValue] =>
  !('id' in given[1]);

/**
 * Returns an object whose `select` returns the flow of a column, and throws ERR_FLOUR_NAME for an
 * unknown column.
 */
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
