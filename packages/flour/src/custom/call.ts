import type { Attributes, DType, NumericArrays } from '@brezel/core';

/** The names and element types of the parameters of a custom operator. */
export type ParameterTypes = Readonly<Record<string, DType>>;

/**
 * The arrays of the parameters, by name. All calls share these arrays, so the function must not
 * change them.
 */
export type ParameterArrays<P extends ParameterTypes> = {
  readonly [Name in keyof P]: P[Name] extends keyof NumericArrays ? NumericArrays[P[Name]] : readonly string[];
};

/** The last argument of a custom function: the attributes and parameters of the operator use. */
export interface CustomCall<A extends Attributes = Attributes, P extends ParameterTypes = ParameterTypes> {
  readonly attributes: A;
  readonly parameters: ParameterArrays<P>;
  /**
   * Rejects the row. The prediction fails with ERR_RUNTIME_INPUT, this reason and the index of the
   * row.
   */
  refuse(reason: string, hint?: string): never;
}
