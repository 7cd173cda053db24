import type { Attributes, DType, NumericArrays } from '@brezel/core';

/** Names of parameters, and the element type of each. */
export type ParameterTypes = Readonly<Record<string, DType>>;

/** Parameters as the function reads them. They are shared: do not write into them. */
export type ParameterArrays<P extends ParameterTypes> = {
  readonly [Name in keyof P]: P[Name] extends keyof NumericArrays ? NumericArrays[P[Name]] : readonly string[];
};

/** What a function gets behind its values. */
export interface CustomCall<A extends Attributes = Attributes, P extends ParameterTypes = ParameterTypes> {
  readonly attributes: A;
  readonly parameters: ParameterArrays<P>;
  /** Refuses the row: its caller gets ERR_RUNTIME_INPUT with this reason and the number of the row. */
  refuse(reason: string, hint?: string): never;
}
