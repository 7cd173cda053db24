import type { ModelTypes } from '@brezel/core';
import type { ExplainedAnswer, WithContributions } from '@brezel/runtime';
import type {
  RouteBatchOptions,
  RouteCallOptions,
  RouteManyOptions,
  RouteOptions,
  RoutePredictOptions,
} from './options.js';

/**
 * The types of the models of a registry, by name. `brezel types` writes a `ModelMap` for model
 * files.
 */
export type ModelMap = Readonly<Record<string, ModelTypes>>;

/** A reference to a model in the map: `name`, `name@version` or `name:alias`. */
export type ReferenceTo<Models> =
  | (keyof Models & string)
  | `${keyof Models & string}@${string}`
  | `${keyof Models & string}:${string}`;

/** The types of the model to which a reference points. */
export type ModelOf<Models, Reference extends string> = Reference extends keyof Models
  ? Models[Reference]
  : Reference extends `${infer Name extends keyof Models & string}@${string}`
    ? Models[Name]
    : Reference extends `${infer Name extends keyof Models & string}:${string}`
      ? Models[Name]
      : never;

type RowTo<Models extends ModelMap, Reference extends string> = ModelOf<Models, Reference>['row'];
/** The type of a row that the models of all references accept. */
type RowToAll<Models extends ModelMap, Reference extends string> = (
  Reference extends string
    ? (row: RowTo<Models, Reference>) => void
    : never
) extends (row: infer Row) => void
  ? Row
  : never;
type AnswerTo<Models extends ModelMap, Reference extends string> = ModelOf<Models, Reference>['answer'];

/** The verbs of a registry with the types of each model's rows and answers. */
export interface TypedVerbs<Models extends ModelMap> {
  /** Answers one row on the calling thread. See `PlanRegistry.predictSync`. */
  predictSync<const Reference extends ReferenceTo<Models>>(
    reference: Reference,
    row: RowTo<Models, Reference>,
    options?: RouteOptions,
  ): AnswerTo<Models, Reference>;
  predictSync<const Reference extends ReferenceTo<Models>>(
    reference: Reference,
    row: RowTo<Models, Reference>,
    options: RoutePredictOptions & { out: Float64Array },
  ): Float64Array;
  /** Answers one row. See `PlanRegistry.predict`. */
  predict<const Reference extends ReferenceTo<Models>>(
    reference: Reference,
    row: RowTo<Models, Reference>,
    options: Omit<RouteCallOptions, 'contributions'> & WithContributions,
  ): Promise<ExplainedAnswer<AnswerTo<Models, Reference>>>;
  predict<const Reference extends ReferenceTo<Models>>(
    reference: Reference,
    row: RowTo<Models, Reference>,
    options?: RouteCallOptions,
  ): Promise<AnswerTo<Models, Reference>>;
  /** Answers many rows, in order. See `PlanRegistry.predictBatch`. */
  predictBatch<const Reference extends ReferenceTo<Models>>(
    reference: Reference,
    rows: readonly RowTo<Models, Reference>[],
    options: Omit<RouteBatchOptions, 'contributions'> & WithContributions,
  ): Promise<ExplainedAnswer<AnswerTo<Models, Reference>>[]>;
  predictBatch<const Reference extends ReferenceTo<Models>>(
    reference: Reference,
    rows: readonly RowTo<Models, Reference>[],
    options?: RouteBatchOptions,
  ): Promise<AnswerTo<Models, Reference>[]>;
  /** Answers many rows with several versions. See `PlanRegistry.predictManyBatch`. */
  predictManyBatch<const References extends readonly ReferenceTo<Models>[]>(
    references: References,
    rows: readonly RowToAll<Models, References[number]>[],
    options?: RouteManyOptions,
  ): Promise<{ -readonly [At in keyof References]: AnswerTo<Models, References[At]>[] }>;
}

/** A registry whose verbs have the types of each model's rows and answers. */
export type TypedRegistry<Registry, Models extends ModelMap> = Omit<Registry, keyof TypedVerbs<ModelMap>> &
  TypedVerbs<Models>;
