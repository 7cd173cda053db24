import type { Attributes, DType, NumericArrays } from '@brezel/core';

/** Names and element types of parameters. */
export type ParameterTypes = Readonly<Record<string, DType>>;

/** Parameters as the function reads them. The arrays are shared and read-only. */
export type ParameterArrays<P extends ParameterTypes> = {
  readonly [Name in keyof P]: P[Name] extends keyof NumericArrays ? NumericArrays[P[Name]] : readonly string[];
};

/** The last argument of the function: attributes and parameters of the use. */
export interface CustomCall<A extends Attributes = Attributes, P extends ParameterTypes = ParameterTypes> {
  readonly attributes: A;
  readonly parameters: ParameterArrays<P>;
  /**
   * Rejects the row. The caller gets ERR_RUNTIME_INPUT with this reason and the index of the row.
   */
  refuse(reason: string, hint?: string): never;
}
