import type {
  Attributes,
  ContributionRules,
  DType,
  NumericArray,
  NumericParameter,
  ParameterValue,
  ReferenceKernel,
  StepQuality,
  ValueType,
} from '@brezel/core';
import type { LearnedNumbers } from './learned.js';

/**
 * Properties of an operator. Optimizer rules read these properties instead of the operator's name,
 * except for algebraic identities of one operator.
 */
export interface Annotations {
  /**
   * Whether each output depends on one input value (`1-to-1`), one input value gives several
   * outputs (`1-to-n`), or an output depends on all input values (`n-to-1`).
   */
  readonly cardinality: '1-to-1' | '1-to-n' | 'n-to-1';
  /** The limiting resource: memory (most featurizers) or arithmetic (matrix products, forests). */
  readonly bound: 'memory' | 'compute';
  /**
   * `featurizer` if pipelines share the parameters, `model` if they belong to one model. With
   * `none`, the operator becomes part of the stage of its input.
   */
  readonly state: 'featurizer' | 'model' | 'none';
  /** Whether the next operator must wait for the whole output (paper 4.1.2: concat, norms). */
  readonly breaker?: boolean;
  /**
   * Whether a small change of an input may change the output a lot, because the operator compares
   * it with thresholds. Rules that change the order of float sums do not touch the inputs of such
   * operators.
   */
  readonly discontinuous?: boolean;
  /**
   * Whether only JavaScript runs the operator. Oven puts it into a separate stage, so that the
   * addon still runs the other operators.
   */
  readonly javascript?: boolean;
  /**
   * Whether integers of the output may exceed 2^53, which float64 does not hold. Answers then hold
   * bigints.
   */
  readonly wide?: boolean;
  /**
   * Whether integers of an input may be elements of the output. Rows may hold every int64, so
   * answers then hold bigints for integers that float64 does not hold. A function computes this
   * flag from the attributes of the operator.
   */
  readonly passesIntegers?: boolean | ((attributes: Attributes) => boolean);
  /**
   * Whether the output is the input with another type. Such an operator costs nothing at run time.
   */
  readonly alias?: boolean;
}

/** The type and shape of a parameter, for `infer` and kernel selection. */
export interface ParameterShape {
  readonly dtype: DType;
  readonly shape: readonly number[];
}

/**
 * Describes one use of an operator before any row runs: input types, attributes and parameter
 * shapes.
 */
export interface OperatorUse {
  readonly inputs: readonly ValueType[];
  readonly attributes: Attributes;
  readonly parameters: Readonly<Record<string, ParameterShape>>;
}

/** A use of an operator in a plan during optimization. Its parameters can be read. */
export interface PlannedUse extends OperatorUse {
  readonly type: ValueType;
  /**
   * Decodes a parameter. Decoding a large parameter takes long, so call this function only if the
   * decision needs the values.
   */
  parameter(name: string): ParameterValue;
}

/** A use of an operator in a fleet file, with the values of its parameters. */
export interface StoredUse extends Pick<PlannedUse, 'inputs' | 'attributes' | 'type'> {
  readonly parameters: Readonly<Record<string, ParameterValue>>;
}

/** A use of an operator during kernel selection. */
export interface KernelUse extends PlannedUse {
  /**
   * Average entries per row of each input and of the output, from statistics or estimated: numbers,
   * tokens, or bytes of a text.
   */
  readonly entries: { readonly inputs: readonly number[]; readonly output: number };
  /**
   * The instruction set of the target, if known: `baseline`, `avx2` or `avx512`. Every kernel runs
   * with all instruction sets, but some kernels are faster with one of them.
   */
  readonly isa?: string | undefined;
}

/** One input of a use. `OperatorDefinition.missing` returns which of its elements may be NaN. */
export interface MissingUse extends Pick<PlannedUse, 'inputs' | 'attributes' | 'type' | 'parameter'> {
  /** Index of the input. */
  readonly input: number;
  /** True if all inputs are the same value, as in `x == x`. */
  readonly isOneValue: boolean;
  /**
   * For each element of the result: 1 if later operators define the answer for NaN, otherwise 0.
   */
  readonly after: Uint8Array;
}

/**
 * One input of a use. `OperatorDefinition.quality` returns what the operator reveals about its
 * values.
 */
export type QualityUse = Omit<MissingUse, 'after'>;

/** `x * scale + offset`, per column. A single number applies to every column. */
export interface AffineMap {
  readonly scale: Float64Array;
  readonly offset: Float64Array;
}

/**
 * A parameter that a kernel reads: the name of a parameter of the operator, or a function that
 * computes a parameter from others.
 */
export type KernelParameter =
  | string
  | {
      /**
       * Name of the function. The name and the ids of `from` identify the result, which is computed
       * once.
       */
      readonly derive: string;
      readonly from: readonly string[];
      build(values: Readonly<Record<string, ParameterValue>>): ParameterValue | Uint8Array;
    };

/**
 * The kernel that runs one use of an operator. Parameters and attributes are in the kernel's order
 * (native/README.md).
 */
export interface KernelBinding {
  readonly kernel: string;
  readonly parameters?: readonly KernelParameter[];
  readonly attributes?: readonly number[];
}

/**
 * A rough estimate in nanoseconds per row on one core: for a single row, and for a row of a batch.
 */
export interface KernelCost {
  readonly single: number;
  readonly batch: number;
}

/**
 * One of several kernels of an operator (paper 4.1.2: logical to physical, 1 to n). All kernels
 * return the same bits.
 */
export interface PhysicalKernel {
  /** The name in stage programs and in EXPLAIN. */
  readonly kernel: string;
  /** Whether the kernel supports this use, including the values of its parameters. */
  canRun(use: KernelUse, type: ValueType): boolean;
  /**
   * Estimates the cost of a kernel that can run. Oven selects the cheapest kernel, or the first of
   * several cheapest kernels.
   */
  cost(use: KernelUse, type: ValueType): KernelCost;
  bind(use: KernelUse, type: ValueType): Omit<KernelBinding, 'kernel'>;
}

/** The entry of an operator in docs/operators.md. A test compares it with the operator's cases. */
export interface OperatorDoc {
  /** What the operator does, in one sentence. */
  readonly does: string;
  /** The types of one row before and after: `float32[n], dense or sparse → the same`. */
  readonly types: string;
  /** The meaning of each attribute. */
  readonly attributes?: Readonly<Record<string, string>>;
  /**
   * The element type, shape and meaning of each parameter. `weights#` stands for `weights0`,
   * `weights1`, ...
   */
  readonly parameters?: Readonly<Record<string, string>>;
  /**
   * Kernels of the addon that run the operator, alone or fused with neighbors. Missing: the
   * operator runs in JavaScript, or needs no work.
   */
  readonly kernels?: readonly string[];
}

/** A kind of values of an attribute. A count is an integer from 0. */
export type AttributeKind = 'boolean' | 'count' | 'number' | 'number or null' | 'text' | 'list of texts';

/**
 * The valid values of an attribute: a kind of values, or a list of texts. With `infer`, the
 * function `infer` of the operator checks the attribute.
 */
export type AttributeRule = AttributeKind | 'infer' | readonly string[];

/**
 * The valid element types of a parameter. `input` allows the type of the first input only; `any`
 * allows every type.
 */
export type ParameterRule = readonly DType[] | 'input' | 'any';

/** The definition of an operator. */
export interface OperatorDefinition {
  readonly name: string;
  /** Increases when the answers of a program change. */
  readonly version: number;
  /** Required for built-in operators only. */
  readonly doc?: OperatorDoc;
  /** The valid values of each attribute. A fleet file with another value is rejected. */
  readonly attributes?: Readonly<Record<string, AttributeRule>>;
  /**
   * The valid element types of each parameter. A fleet file with another type is rejected.
   * `weights#` stands for `weights0`, `weights1`, ...
   */
  readonly parameters?: Readonly<Record<string, ParameterRule>>;
  readonly annotations: Annotations;
  /**
   * Returns the type of the result. Throws a FlourError if inputs, attributes and parameters do not
   * match.
   */
  infer(use: OperatorUse): ValueType;
  readonly reference: ReferenceKernel;
  /** The deadline of one call of a custom operator, in milliseconds. */
  readonly deadlineMs?: number;
  /**
   * Whether this use returns its only input unchanged, with the same bits and type. Oven then
   * removes it.
   */
  identity?(use: PlannedUse): boolean;
  /**
   * Returns the affine map that this use computes, ignoring rounding. Returns undefined if the use
   * is not an affine map. Rules fold the map into weights.
   */
  affine?(use: PlannedUse): AffineMap | undefined;
  /**
   * The functions with which the operator explains its result. If an operator has `affine` but not
   * these functions, its affine map divides the contributions. If an operator has neither, the
   * explanation fails with an error.
   */
  readonly contributions?: ContributionRules;
  /**
   * Returns 1 for each element of the input where this operator, or a later one, defines the answer
   * for NaN. See `missing.ts`. Default: no element.
   */
  missing?(use: MissingUse): Uint8Array;
  /**
   * Returns what this use reveals about the values of one input, for counters of data quality:
   * passed elements, known categories, thresholds. See `quality.ts`. Default: nothing.
   */
  quality?(use: QualityUse): StepQuality | undefined;
  /**
   * Estimates nanoseconds per row of the operator's kernel, without the call. Default: derived from
   * the entries it reads and writes.
   */
  cost?(use: KernelUse): number;
  /**
   * Checks parameter values from a file. An operator needs this function if its builder method
   * rejects values, such as an index out of range. Throws a FlourError.
   */
  check?(use: StoredUse): void;
  /**
   * The learned parameters, with the numbers that are valid in them. `weights#` stands for
   * `weights0`, `weights1`, ... They are checked when a program is built, so imports check them
   * too.
   */
  readonly learned?: Readonly<Record<string, LearnedNumbers>>;
  /**
   * Describes this use in EXPLAIN, in a few words: `1- to 2-grams, 1200 columns`. Default: the
   * attributes. Parameter values may be unavailable.
   */
  summary?(use: Pick<OperatorUse, 'attributes' | 'parameters'>): string;
  /** Returns the kernel for this use, or undefined if only the reference can run it. */
  kernel?(use: OperatorUse, type: ValueType): KernelBinding | undefined;
  /** Replaces `kernel` if the best kernel depends on parameter values. */
  readonly kernels?: readonly PhysicalKernel[];
}

/** Requires a rule for each attribute and each parameter that the documentation lists. */
type RulesFor<Doc extends OperatorDoc> = RulesOf<'attributes', Doc, AttributeRule> &
  RulesOf<'parameters', Doc, ParameterRule>;

type RulesOf<Field extends string, Doc, Rule> = Doc extends { readonly [F in Field]: infer Documented }
  ? { readonly [F in Field]: { readonly [Name in keyof Documented]: Rule } }
  : { readonly [F in Field]?: undefined };

const registry = new Map<string, OperatorDefinition>();

/** Registers an operator under its name. Throws if the name is in use. */
export function defineOp<const Doc extends OperatorDoc>(
  definition: OperatorDefinition & { readonly doc: Doc } & RulesFor<Doc>,
): OperatorDefinition {
  if (registry.has(definition.name)) throw new TypeError(`operator ${definition.name} is defined twice`);
  registry.set(definition.name, definition);
  return definition;
}

/** All operators that `defineOp` registered, by name. */
export const operators: ReadonlyMap<string, OperatorDefinition> = registry;

/** Numbers in the forms that users pass. */
export type Numbers = readonly number[] | NumericArray;

/** Converts an array of numbers to a float32 parameter. */
export function float32(values: Numbers, shape: readonly number[] = [values.length]): ParameterValue {
  return { dtype: 'float32', shape, data: values instanceof Float32Array ? values : Float32Array.from(values, Number) };
}

/** Converts an array of numbers to an int32 parameter. */
export function int32(values: Numbers, shape: readonly number[] = [values.length]): ParameterValue {
  return { dtype: 'int32', shape, data: values instanceof Int32Array ? values : Int32Array.from(values, Number) };
}

/** Returns the numbers of a numeric parameter. */
export function numbersOf(value: ParameterValue): NumericArray {
  return (value as NumericParameter).data;
}
