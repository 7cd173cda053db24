import type {
  Attributes,
  DType,
  NumericArray,
  NumericParameter,
  ParameterValue,
  ReferenceKernel,
  ValueType,
} from '@brezel/core';
import type { LearnedNumbers } from './learned.js';

/** Facts the optimizer may rely on. Rules ask for these, never for operator names (but for one algebraic identity). */
export interface Annotations {
  /** How many values of the row one output needs: each alone, one to many, or all of them. */
  readonly cardinality: '1-to-1' | '1-to-n' | 'n-to-1';
  /** Limited by memory (most featurizers) or by arithmetic (matrix products, forests). */
  readonly bound: 'memory' | 'compute';
  /**
   * Whose state the parameters are: of the featurizers, which pipelines share, or of one model. `none`: no state that
   * matters, the operator goes where its input comes from.
   */
  readonly state: 'featurizer' | 'model' | 'none';
  /** True where the whole output must be there before the next operator can start (paper 4.1.2: concat, norms). */
  readonly breaker?: boolean;
  /**
   * A little more or less of an input may give quite another output, because it is compared with thresholds: rules that regroup sums leave alone
   * whatever such an operator reads.
   */
  readonly discontinuous?: boolean;
  /** Only JavaScript runs it: it shares no stage with operators that have kernels, so that those stay in the addon. */
  readonly javascript?: boolean;
  /** Integers of it may be beyond 2^53, which float64 does not hold: as the answer of a plan they come as bigint. */
  readonly wide?: boolean;
  /** Gives its input as it is, only typed otherwise: costs nothing at run time. */
  readonly alias?: boolean;
}

/** A parameter's type and shape: what `infer` and kernel selection may look at. */
export interface ParameterShape {
  readonly dtype: DType;
  readonly shape: readonly number[];
}

/** All that is known of a use of an operator before anything runs. */
export interface OperatorUse {
  readonly inputs: readonly ValueType[];
  readonly attributes: Attributes;
  readonly parameters: Readonly<Record<string, ParameterShape>>;
}

/** A use of an operator in a plan that is being optimized: its parameters can be looked into. */
export interface PlannedUse extends OperatorUse {
  readonly type: ValueType;
  /** Decodes the parameter: large ones only when there is something to gain. */
  parameter(name: string): ParameterValue;
}

/** The same where kernels are chosen. */
export interface KernelUse extends PlannedUse {
  /** Entries that a row of each input and of the output holds on average, by statistics or by guess: numbers, tokens, or bytes of a text. */
  readonly entries: { readonly inputs: readonly number[]; readonly output: number };
  /** Where the plan will run, if that is known: `baseline`, `avx2`, `avx512`. Every kernel runs on each of them; some are better there. */
  readonly isa?: string | undefined;
}

/** `x * scale + offset`, column by column. A single number stands for every column. */
export interface AffineMap {
  readonly scale: Float64Array;
  readonly offset: Float64Array;
}

/** A parameter a kernel reads: one of the operator's own by name, or one computed from them once. */
export type KernelParameter =
  | string
  | {
      /** Names the function; with the ids of `from` the identity of the result. */
      readonly derive: string;
      readonly from: readonly string[];
      build(values: Readonly<Record<string, ParameterValue>>): ParameterValue | Uint8Array;
    };

/** The kernel that runs one use of an operator, with its parameters and attributes in the kernel's order (native/README.md). */
export interface KernelBinding {
  readonly kernel: string;
  readonly parameters?: readonly KernelParameter[];
  readonly attributes?: readonly number[];
}

/** A rough estimate: nanoseconds a row on one core, of a row alone and of a row in a batch. */
export interface KernelCost {
  readonly single: number;
  readonly batch: number;
}

/** One of several kernels for the same operator (paper 4.1.2: logical to physical, 1 to n). All give the same bits. */
export interface PhysicalKernel {
  /** The name in stage programs and in EXPLAIN. */
  readonly kernel: string;
  /** Whether this use, down to the values of its parameters, is one the kernel is made for. */
  canRun(use: KernelUse, type: ValueType): boolean;
  /** Asked of kernels that can run: the cheapest is taken, the first of equals. */
  cost(use: KernelUse, type: ValueType): KernelCost;
  bind(use: KernelUse, type: ValueType): Omit<KernelBinding, 'kernel'>;
}

/** What docs/operators.md tells of an operator. A test holds it against the operator's cases. */
export interface OperatorDoc {
  /** What it does, in a sentence. */
  readonly does: string;
  /** What one row is before and behind it: `float32[n], dense or sparse → the same`. */
  readonly types: string;
  /** Each attribute, and what it says. */
  readonly attributes?: Readonly<Record<string, string>>;
  /** Each parameter: element type, shape, and what it is. `weights#` stands for `weights0`, `weights1`, ... */
  readonly parameters?: Readonly<Record<string, string>>;
  /** Kernels of the addon that run it, alone or with its neighbours. None: it runs in JavaScript, or needs no work. */
  readonly kernels?: readonly string[];
}

/** Everything true of an operator. */
export interface OperatorDefinition {
  readonly name: string;
  /** Raised when the same program would answer otherwise. */
  readonly version: number;
  /** Operators of ours have one; those of users need none. */
  readonly doc?: OperatorDoc;
  readonly annotations: Annotations;
  /** The type of the result. Throws a FlourError where inputs, attributes and parameters do not fit together. */
  infer(use: OperatorUse): ValueType;
  readonly reference: ReferenceKernel;
  /** Of operators of users that may not end. */
  readonly deadlineMs?: number;
  /** True where this use gives its only input back, bit for bit and of the same type: Oven skips it. */
  identity?(use: PlannedUse): boolean;
  /** What this use is in real arithmetic, where it is affine in its only input: rules fold it into weights. */
  affine?(use: PlannedUse): AffineMap | undefined;
  /** Estimated nanoseconds a row, by the operator's own kernel and without the call. Default: by the entries it reads and writes. */
  cost?(use: KernelUse): number;
  /** Checks the values of parameters that come out of a file, where the reference relies on more than `infer` can see. Throws a FlourError. */
  check?(parameters: Readonly<Record<string, ParameterValue>>): void;
  /**
   * The parameters that training gives, and what their numbers can mean (`weights#` stands for `weights0`, `weights1`, ...). Checked where programs
   * are written, and so where models are imported.
   */
  readonly learned?: Readonly<Record<string, LearnedNumbers>>;
  /**
   * What tells this use from others, in a few words, for EXPLAIN: `1- to 2-grams, 1200 columns`. Default: its attributes. Nothing may be known of
   * the parameters.
   */
  summary?(use: Pick<OperatorUse, 'attributes' | 'parameters'>): string;
  /** The kernel for this use, or undefined where only the reference can run it. */
  kernel?(use: OperatorUse, type: ValueType): KernelBinding | undefined;
  /** In place of `kernel`, where the best kernel depends on the parameters' values. */
  readonly kernels?: readonly PhysicalKernel[];
}

const registry = new Map<string, OperatorDefinition>();

/** Registers an operator under its name. The name must be free. */
export function defineOp<const Definition extends OperatorDefinition & { readonly doc: OperatorDoc }>(
  definition: Definition,
): Definition {
  if (registry.has(definition.name)) throw new TypeError(`operator ${definition.name} is defined twice`);
  registry.set(definition.name, definition);
  return definition;
}

export const operators: ReadonlyMap<string, OperatorDefinition> = registry;

/** Numbers as users pass parameters. */
export type Numbers = readonly number[] | NumericArray;

/** A float32 parameter from any array of numbers. */
export function float32(values: Numbers, shape: readonly number[] = [values.length]): ParameterValue {
  return { dtype: 'float32', shape, data: values instanceof Float32Array ? values : Float32Array.from(values, Number) };
}

export function int32(values: Numbers, shape: readonly number[] = [values.length]): ParameterValue {
  return { dtype: 'int32', shape, data: values instanceof Int32Array ? values : Int32Array.from(values, Number) };
}

/** The numbers of a numeric parameter. */
export function numbersOf(value: ParameterValue): NumericArray {
  return (value as NumericParameter).data;
}
