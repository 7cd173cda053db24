import type { DictionaryEntry } from './blocks.js';

/**
 * One row of a caller: an object keyed by the plan's inputs. If the plan has one input, a text or a
 * list of numbers (an array or a typed array) may be passed without the object.
 */
// `any` instead of `unknown`, so that an object of an interface is a row too. Lists match as well.
// biome-ignore lint/suspicious/noExplicitAny: only an index signature of `any` accepts interfaces
export type Row = string | Readonly<Record<string, any>>;

/**
 * The value of one output: a number, a label, a list of numbers, nested lists for a value with
 * several axes, or named numbers.
 */
export type AnswerValue =
  | number
  | bigint
  | boolean
  | string
  | AnswerList
  | Readonly<Record<string, number>>
  | Readonly<Record<string, DictionaryEntry>>;
/**
 * One element of an answer. It is a bigint if float64 cannot represent the integer, and the output
 * has `wide: true`.
 */
export type AnswerElement = number | bigint | boolean | string;
/** A list of elements of an answer. A value with several axes is a nested list. */
export type AnswerList = readonly AnswerElement[] | readonly AnswerList[];

/** The answer to one row, keyed by the plan's outputs. */
export type Answer = Readonly<Record<string, AnswerValue>>;

/** The types of a model: its rows and its answers. `brezel types` writes them for model files. */
export interface ModelTypes {
  readonly row: unknown;
  readonly answer: unknown;
}

/**
 * Lets TypeScript infer the types of the rows and answers of a program, plan or version, which all
 * extend this interface. Its field does not exist at run time.
 *
 * @typeParam R the rows that the plan accepts.
 * @typeParam A the answers that the plan returns.
 */
export interface Typed<out R, out A> {
  readonly '~types'?: { readonly row: R; readonly answer: A } | undefined;
}

/** The rows that a plan accepts: `PlanRow<typeof plan>`. */
export type PlanRow<Plan> = Plan extends Typed<infer R, unknown> ? R : never;

/** The answers that a plan returns: `PlanAnswer<typeof plan>`. */
export type PlanAnswer<Plan> = Plan extends Typed<unknown, infer A> ? A : never;

/** The type of a row that all of the given plans accept. */
export type RowOfPlans<Plans extends readonly unknown[]> = (
  Plans[number] extends infer Plan
    ? Plan extends Typed<infer R, unknown>
      ? (row: R) => void
      : never
    : never
) extends (row: infer R) => void
  ? R
  : never;

/** The answers of several plans, in the order of the plans. */
export type PlanAnswers<Plans extends readonly unknown[]> = { -readonly [At in keyof Plans]: PlanAnswer<Plans[At]> };

/** The answers of several plans to many rows: one list for each plan, in the order of the plans. */
export type PlanAnswerLists<Plans extends readonly unknown[]> = {
  -readonly [At in keyof Plans]: PlanAnswer<Plans[At]>[];
};
