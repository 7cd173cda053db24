import type { Attributes, DType, NumericArray, ParameterValue, ReferenceKernel, ValueType } from '@brezel/core';

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

/** Everything true of an operator. */
export interface OperatorDefinition {
  readonly name: string;
  /** Raised when the same program would answer otherwise. */
  readonly version: number;
  readonly annotations: Annotations;
  /** The type of the result. Throws a FlourError where inputs, attributes and parameters do not fit together. */
  infer(use: OperatorUse): ValueType;
  readonly reference: ReferenceKernel;
  /** The kernel for this use, or undefined where only the reference can run it. */
  kernel?(use: OperatorUse, type: ValueType): KernelBinding | undefined;
}

const registry = new Map<string, OperatorDefinition>();

/** Registers an operator under its name. The name must be free. */
export function defineOp<const Definition extends OperatorDefinition>(definition: Definition): Definition {
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
