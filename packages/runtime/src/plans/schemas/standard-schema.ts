import { BrezelError, type Row } from '@brezel/core';
import { admit, type RowSchema } from '../../execute/rows/row-schema.js';
import { type JsonSchemaOptions, jsonSchemaOf, type PlanJsonSchema } from './json-schema.js';

/**
 * Standard Schema, version 1 (standardschema.dev). tRPC, Hono and other libraries can validate rows
 * with a plan, as they do with a schema of zod or valibot. Validation returns a row unchanged.
 */
export interface StandardRowSchema<R> {
  readonly version: 1;
  readonly vendor: 'brezel';
  readonly types?: { readonly input: R; readonly output: R } | undefined;
  readonly validate: (value: unknown) => RowResult<R>;
  readonly jsonSchema: {
    readonly input: (options: { readonly target: string }) => Record<string, unknown>;
    readonly output: (options: { readonly target: string }) => Record<string, unknown>;
  };
}

/** A valid row, or the first reason why a value is not a valid row of the plan. */
export type RowResult<R> =
  | { readonly value: R; readonly issues?: undefined }
  | { readonly issues: readonly RowIssue[] };

/** One reason why a value is not a valid row of a plan. */
export interface RowIssue {
  /** Describes the problem in words. */
  readonly message: string;
  /** The keys that lead from the row to the invalid value. */
  readonly path?: readonly PropertyKey[];
}

/** The schemas of a registered plan. */
export interface PlanSchemas<R> {
  /**
   * Returns the JSON Schemas of rows and answers.
   *
   * @throws ERR_RUNTIME_OPTION for an unknown target.
   * @example runtime.register(compiled).jsonSchema({ target: 'draft-07' }).row
   */
  jsonSchema(options?: JsonSchemaOptions): PlanJsonSchema;
  /** The row validation for libraries that support Standard Schema. */
  readonly '~standard': StandardRowSchema<R>;
}

/**
 * The implementation of `PlanSchemas`. The methods read the plan from `this`, so all registered
 * plans share one object.
 */
export const planSchemas: PlanSchemas<Row> & ThisType<Plan> = {
  jsonSchema(options) {
    return jsonSchemaOf(this, options);
  },
  get '~standard'() {
    const plan = this as unknown as Plan;
    const row = ({ target }: { readonly target: string }) =>
      ({ ...jsonSchemaOf(plan, { target } as JsonSchemaOptions).row }) as Record<string, unknown>;
    return {
      version: 1 as const,
      vendor: 'brezel' as const,
      validate: (value: unknown) => validated(plan, value),
      jsonSchema: { input: row, output: row },
    };
  },
};

type Plan = Parameters<typeof jsonSchemaOf>[0];

function validated(schema: RowSchema, value: unknown): RowResult<Row> {
  try {
    admit(schema, [value as Row]);
    return { value: value as Row };
  } catch (error) {
    if (!(error instanceof BrezelError)) throw error;
    const { input, index } = error.details;
    const path = [input, index].filter((part) => part !== undefined);
    return { issues: [{ message: error.message, ...(path.length > 0 && { path }) }] };
  }
}
