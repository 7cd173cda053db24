import type { Flow } from './flow.js';
import type { AnswerOf, FlowKind, IsAny, RowOf } from './flow-types.js';

// The types of several flows and of their program. Nothing here exists at run time.

/** A flow with any type parameters. */
export type AnyFlow = Flow<FlowKind, unknown, unknown>;

/** The fields that a row needs for several flows together. */
export type JoinedFields<Flows> = (
  Flows extends Flow<FlowKind, infer Fields, unknown>
    ? (fields: Fields) => void
    : never
) extends (fields: infer All) => void
  ? All
  : never;

/** The type of the answers of a program with these output flows. */
export type ProgramAnswer<Outputs> = Outputs extends infer Flows // so that editors show the fields
  ? {
      readonly [Name in keyof Flows]: Flows[Name] extends Flow<FlowKind, unknown, infer Value>
        ? AnswerOf<Value>
        : never;
    }
  : never;

/**
 * The rows of a program. Fields that its outputs read are required. Fields of unused inputs are
 * optional.
 */
export type ProgramRow<Outputs, Inputs extends readonly unknown[]> = RowOf<
  WithOptional<JoinedFields<Outputs[keyof Outputs]>, JoinedFields<Inputs[number]>>
>;

type WithOptional<Fields, Others> = IsAny<Others> extends true ? Fields : Fields & Partial<Omit<Others, keyof Fields>>;
