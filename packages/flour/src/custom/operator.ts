import type { Attributes } from '@brezel/core';
import type { OperatorDefinition } from '../define-op.js';
import type { ParameterTypes } from './call.js';
import type { CustomInput, CustomOutput } from './values.js';

/** The result of `defineOperator`. Pass it to `flour.custom` or `flow.custom`. */
export interface CustomOperator<
  I extends readonly CustomInput[] = readonly CustomInput[],
  O extends CustomOutput = CustomOutput,
  A extends Attributes = Attributes,
  P extends ParameterTypes = ParameterTypes,
> {
  readonly name: string;
  readonly version: number;
  readonly inputs: I;
  readonly attributes: A;
  readonly parameters: P;
  readonly definition: OperatorDefinition;
  /** The type of the output. Only TypeScript uses this field; it has no value at run time. */
  readonly output?: O;
}
