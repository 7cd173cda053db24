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
 * Properties of an operator that the rules of Oven read. A rule checks the name of an operator only
 * if the rule is about an algebraic identity.
 */
export interface Annotations {
  /**
   * `1-to-1`: each number of the output depends on one number of the input. `1-to-n`: one value of
   * the input gives several values of the output. `n-to-1`: a number of the output may depend on
   * the whole input.
   */
  readonly cardinality: '1-to-1' | '1-to-n' | 'n-to-1';
  /**
   * The resource that limits speed: memory (most featurizers) or arithmetic (matrix products,
   * forests).
   */
  readonly bound: 'memory' | 'compute';
  /**
   * `featurizer`: several models may share the parameters. `model`: the parameters belong to one
   * model. `none`: the operator has no learned parameters, and Oven puts it into the stage of its
   * input.
   */
  readonly state: 'featurizer' | 'model' | 'none';
  /**
   * Whether the operator needs its whole input before it can return anything, as concat and norms
   * do (pipeline breakers in section 4.1.2 of the PRETZEL paper). Oven starts a new stage after it.
   */
  readonly breaker?: boolean;
  /**
   * Whether a small change of an input may change the output a lot, because the operator compares
   * it with thresholds. Rules do not reorder the float sums whose results such an operator reads.
   */
  readonly discontinuous?: boolean;
  /**
   * Whether the operator runs in JavaScript only. Oven puts such an operator into a separate stage,
   * so that the addon runs the other operators.
   */
  readonly javascript?: boolean;
  /**
   * Whether integers of the output may exceed 2^53. Answers then contain bigints, because a
   * JavaScript number does not represent every such integer exactly.
   */
  readonly wide?: boolean;
  /**
   * Whether the output may contain integers of an input unchanged. A row may contain any int64, so
   * answers then contain bigints for integers that a JavaScript number does not represent exactly.
   * If this property depends on the attributes, it is a function of them.
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
 * One use of an operator while a program is built: its input types, its attributes and the shapes
 * of its parameters.
 */
export interface OperatorUse {
  readonly inputs: readonly ValueType[];
  readonly attributes: Attributes;
  readonly parameters: Readonly<Record<string, ParameterShape>>;
}

/** One use of an operator while Oven optimizes a plan. Rules can also read the parameters. */
export interface PlannedUse extends OperatorUse {
  readonly type: ValueType;
  /**
   * Returns the value of a parameter. Decoding a large parameter takes long, so call this method
   * only if you need the numbers.
   */
  parameter(name: string): ParameterValue;
}

/**
 * One use of an operator in a fleet file, with the values of its parameters. `check` receives it.
 */
export interface StoredUse extends Pick<PlannedUse, 'inputs' | 'attributes' | 'type'> {
  readonly parameters: Readonly<Record<string, ParameterValue>>;
}

/** One use of an operator while Oven selects a kernel for it. */
export interface KernelUse extends PlannedUse {
  /**
   * The average size of each input and of the output in one row: stored numbers, tokens, or bytes
   * of a text. Sizes come from training statistics or from estimates.
   */
  readonly entries: { readonly inputs: readonly number[]; readonly output: number };
  /**
   * The instruction set of the CPU on which the plan will run, if known: `baseline`, `avx2` or
   * `avx512`. Every kernel runs with all instruction sets, but some kernels are faster with one of
   * them.
   */
  readonly isa?: string | undefined;
}

/**
 * One input of an operator use. `OperatorDefinition.missing` receives it and returns which elements
 * of the input may be NaN.
 */
export interface MissingUse extends Pick<PlannedUse, 'inputs' | 'attributes' | 'type' | 'parameter'> {
  /** Index of the examined input in `inputs`. */
  readonly input: number;
  /** True if all inputs are the same value, as in `x == x`. */
  readonly isOneValue: boolean;
  /**
   * For each element of the result: 1 if the operators that read the element define their answer
   * for NaN, otherwise 0.
   */
  readonly after: Uint8Array;
}

/**
 * One input of an operator use. `OperatorDefinition.quality` receives it and returns which values
 * of the input are usual.
 */
export type QualityUse = Omit<MissingUse, 'after'>;

/**
 * The function `x * scale + offset`, column by column. An array with one number applies to every
 * column.
 */
export interface AffineMap {
  readonly scale: Float64Array;
  readonly offset: Float64Array;
}

/**
 * A parameter that a kernel reads: the name of a parameter of the operator, or a function that
 * computes the kernel's parameter from parameters of the operator.
 */
export type KernelParameter =
  | string
  | {
      /**
       * Name of the function. The object store computes the result once for each combination of
       * this name and the ids of the parameters `from`.
       */
      readonly derive: string;
      readonly from: readonly string[];
      build(values: Readonly<Record<string, ParameterValue>>): ParameterValue | Uint8Array;
    };

/**
 * The kernel that runs one use of an operator, with its parameters and attributes. Their order is
 * defined for each kernel in native/README.md.
 */
export interface KernelBinding {
  readonly kernel: string;
  readonly parameters?: readonly KernelParameter[];
  readonly attributes?: readonly number[];
}

/**
 * The estimated time per row on one core in nanoseconds. `single`: a row runs alone. `batch`: many
 * rows run together.
 */
export interface KernelCost {
  readonly single: number;
  readonly batch: number;
}

/**
 * One of several kernels that can run an operator (section 4.1.2 of the PRETZEL paper). All kernels
 * of an operator return the same bits.
 */
export interface PhysicalKernel {
  /** The name of the kernel in compiled plans and in EXPLAIN. */
  readonly kernel: string;
  /** Returns whether the kernel supports this use. The answer may depend on parameter values. */
  canRun(use: KernelUse, type: ValueType): boolean;
  /**
   * Estimates the cost of this kernel for a use that it supports. Oven selects the cheapest kernel.
   * If several kernels have the same cost, Oven selects the first of them.
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

/** The kind of values that an attribute accepts. A `count` is an integer from 0. */
export type AttributeKind =
  | 'boolean'
  | 'count'
  | 'number'
  | 'number or null'
  | 'text'
  | 'text or nothing'
  | 'list of texts';

/**
 * The valid values of an attribute: one of the kinds, or one of the listed texts. `infer` means
 * that the function `infer` of the operator checks the attribute.
 */
export type AttributeRule = AttributeKind | 'infer' | readonly string[];

/**
 * The valid element types of a parameter. `input` allows only the element type of the first input.
 * `any` allows every element type.
 */
export type ParameterRule = readonly DType[] | 'input' | 'any';

/** The node of a program that computes an input of an operator. */
export interface InputSource {
  readonly operator: OperatorDefinition | undefined;
  readonly attributes: Attributes;
  readonly inputs: readonly InputSource[];
}

/** An operator use that replaces the original use while a program is built. */
export interface OperatorReplacement {
  readonly operator: OperatorDefinition;
  readonly attributes: Attributes;
  readonly parameters: Readonly<Record<string, ParameterValue>>;
}

/** The definition of an operator. */
export interface OperatorDefinition {
  readonly name: string;
  /** Version of the operator. It increases when the operator returns other answers than before. */
  readonly version: number;
  /** The documentation of the operator. Custom operators need none. */
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
   * Returns the type of the result. Throws a FlourError if the inputs, attributes and parameters do
   * not fit together.
   */
  infer(use: OperatorUse): ValueType;
  readonly reference: ReferenceKernel;
  /**
   * Returns an operator use that replaces this use while a program is built: another operator
   * defines a better answer for these inputs. Returns undefined to keep this use. `parameterOf`
   * returns the value of a parameter. Both operators must have the same type of result.
   */
  replacement?(
    inputs: readonly InputSource[],
    parameterOf: (name: string) => ParameterValue,
  ): OperatorReplacement | undefined;
  /** The deadline of one call of a custom operator, in milliseconds. */
  readonly deadlineMs?: number;
  /**
   * Returns whether this use returns its only input unchanged, with the same bits and type. Oven
   * removes such a use.
   */
  identity?(use: PlannedUse): boolean;
  /**
   * Returns the affine map that this use computes, ignoring rounding. Returns undefined if the use
   * is not an affine map. Rules fold the map into weights.
   */
  affine?(use: PlannedUse): AffineMap | undefined;
  /**
   * The functions that divide a result of the operator into contributions of its inputs. If they
   * are missing, explanations use `affine`. If `affine` is missing too, explanations of plans with
   * this operator fail with an error.
   */
  readonly contributions?: ContributionRules;
  /**
   * Returns 1 for each element of the input that may be NaN, because this operator or the operators
   * after it define their answer for NaN. See `missing.ts`. Default: no element may be NaN.
   */
  missing?(use: MissingUse): Uint8Array;
  /**
   * Returns which values of an input are usual for this use: known categories, thresholds, and
   * elements that the operator passes on. The counters of data quality use them. See `quality.ts`.
   * Default: undefined, so nothing is counted.
   */
  quality?(use: QualityUse): StepQuality | undefined;
  /**
   * Estimates the time that the operator's kernel takes per row, in nanoseconds, without the
   * overhead of calling the kernel. Default: the cost of the cheapest kernel of `kernels`. Without
   * `kernels`: an estimate from the numbers of entries that the operator reads and writes.
   */
  cost?(use: KernelUse): number;
  /**
   * Checks the values of parameters that come from a file, and throws a FlourError for an invalid
   * value. An operator needs this function if its method of `Flow` rejects values, such as an index
   * out of range.
   */
  check?(use: StoredUse): void;
  /**
   * The learned parameters, with the numbers that are valid in them. `weights#` stands for
   * `weights0`, `weights1`, ... These parameters are checked when a program is built or imported.
   */
  readonly learned?: Readonly<Record<string, LearnedNumbers>>;
  /**
   * Describes this use in a few words for EXPLAIN, for example `1- to 2-grams, 1200 columns`.
   * Default: the attributes. The function receives only the shapes of the parameters, not their
   * values.
   */
  summary?(use: Pick<OperatorUse, 'attributes' | 'parameters'>): string;
  /**
   * Returns the kernel for this use, or undefined if only the reference implementation can run it.
   */
  kernel?(use: OperatorUse, type: ValueType): KernelBinding | undefined;
  /**
   * The possible kernels of the operator. Replaces `kernel` if the best kernel depends on parameter
   * values.
   */
  readonly kernels?: readonly PhysicalKernel[];
}

/**
 * Checks at compile time the definition of an operator: it must have a rule for each attribute and
 * each parameter that its documentation lists.
 */
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

/** The arrays of numbers that callers may pass. */
export type Numbers = readonly number[] | NumericArray;

/** Converts an array of numbers to a float32 parameter. */
export function float32(values: Numbers, shape: readonly number[] = [values.length]): ParameterValue {
  return { dtype: 'float32', shape, data: values instanceof Float32Array ? values : Float32Array.from(values, Number) };
}

/** Converts an array of numbers to a float64 parameter. */
export function float64(values: Numbers, shape: readonly number[] = [values.length]): ParameterValue {
  return { dtype: 'float64', shape, data: values instanceof Float64Array ? values : Float64Array.from(values, Number) };
}

/** Converts an array of numbers to an int32 parameter. */
export function int32(values: Numbers, shape: readonly number[] = [values.length]): ParameterValue {
  return { dtype: 'int32', shape, data: values instanceof Int32Array ? values : Int32Array.from(values, Number) };
}

/** Returns the numbers of a numeric parameter. */
export function numbersOf(value: ParameterValue): NumericArray {
  return (value as NumericParameter).data;
}
