import type { Attributes } from '@brezel/core';
import { FlourContext } from '../context.js';
import type { Numbers } from '../define-op.js';
import { flourError } from '../errors.js';
import { Flow } from '../flow.js';
import type { AnyFlow, JoinedFields } from '../program-types.js';
import { shown } from './row-values.js';
import '../ops/densify/index.js';
import type { Statistics } from '../program.js';
import type { ParameterTypes } from './call.js';
import type { CustomOperator } from './operator.js';
import { customParameter } from './parameters.js';
import type { CustomInput, CustomOutput, CustomValue, KindOf } from './values.js';

export type { CustomCall, ParameterArrays, ParameterTypes } from './call.js';
export {
  type CustomDefinition,
  defineOperator,
  type OutputUse,
  type RowFunction,
} from './define-operator.js';
export type { CustomOperator } from './operator.js';
export { findOperator, isCustomName, versionsOf } from './registry.js';
export type { CustomInput, CustomOutput, CustomValue, ElementName, KindOf, RowResult, RowValue } from './values.js';

/**
 * Options of one use of a custom operator. A missing attribute gets its default. All parameters are
 * required.
 */
export type CustomOptions<A extends Attributes, P extends ParameterTypes> = {
  readonly attributes?: keyof A extends never ? undefined : Partial<A>;
  readonly statistics?: Statistics;
} & (keyof P extends never
  ? { readonly parameters?: undefined }
  : { readonly parameters: { readonly [Name in keyof P]: P[Name] extends 'string' ? readonly string[] : Numbers } });

type OptionsOf<A extends Attributes, P extends ParameterTypes> = keyof P extends never
  ? [options?: CustomOptions<A, P>]
  : [options: CustomOptions<A, P>];

declare module '../context.js' {
  interface FlourContext {
    /**
     * Applies a custom operator to several flows. The operator runs in JavaScript; the other stages
     * of the plan stay in the addon.
     *
     * @throws ERR_FLOUR_TYPE for an input of another type; ERR_FLOUR_PARAM for unknown attributes,
     * unknown or missing parameters, or a number that the element type of a parameter cannot
     * represent.
     * @example flour.custom(distance, [here, there], { attributes: { unit: 'km' } })
     */
    custom<
      I extends readonly CustomInput[],
      O extends CustomOutput,
      A extends Attributes,
      P extends ParameterTypes,
      const Inputs extends readonly AnyFlow[],
    >(
      operator: CustomOperator<I, O, A, P>,
      inputs: Inputs & { readonly [At in keyof I]: Flow<KindOf<NoInfer<I>[At]>, unknown, unknown> },
      ...options: OptionsOf<A, P>
    ): Flow<KindOf<O>, JoinedFields<Inputs[number]>, CustomValue<O>>;
  }
}

declare module '../flow.js' {
  interface Flow<Kind, Row, Value> {
    /**
     * Applies a custom operator with one input. For several inputs, use `flour.custom`.
     *
     * @throws ERR_FLOUR_TYPE for an input of another type; ERR_FLOUR_PARAM for unknown attributes,
     * unknown or missing parameters, or a number that the element type of a parameter cannot
     * represent.
     * @example text.custom(shouting)
     */
    custom<I extends CustomInput, O extends CustomOutput, A extends Attributes, P extends ParameterTypes>(
      this: Flow<KindOf<NoInfer<I>>, Row, unknown>,
      operator: CustomOperator<readonly [I], O, A, P>,
      ...options: OptionsOf<A, P>
    ): Flow<KindOf<O>, Row, CustomValue<O>>;
  }
}

FlourContext.prototype.custom = function (
  this: FlourContext,
  operator: CustomOperator,
  inputs: readonly Flow[],
  options: {
    attributes?: Attributes;
    parameters?: Record<string, Numbers | readonly string[]>;
    statistics?: Statistics;
  } = {},
) {
  const { definition, name, parameters: types } = operator;
  const attributes = { ...operator.attributes, ...options.attributes };
  const unknown = Object.keys(options.parameters ?? {}).find((key) => !Object.hasOwn(types, key));
  if (unknown !== undefined)
    throw flourError('ERR_FLOUR_PARAM', {
      expected: `one of ${Object.keys(types).join(', ')}`,
      received: unknown,
      at: name,
    });
  const parameters = Object.entries(types).map(
    ([key, dtype]) => [key, customParameter(`${key} of ${name}`, dtype, options.parameters?.[key])] as const,
  );
  // Custom functions get dense vectors only.
  const sources = inputs.map((flow) => (flow.type.kind === 'sparse' ? (flow as Flow<'vector'>).densify() : flow));
  return this.apply(definition, sources, {
    attributes: plainData(name, attributes),
    parameters: Object.fromEntries(parameters),
    ...(options.statistics && { statistics: options.statistics }),
  });
} as never;

Flow.prototype.custom = function (this: Flow, operator: CustomOperator, options?: never) {
  return this.context.custom(operator as never, [this] as never, options as never);
} as never;

/**
 * Returns the attributes if JSON can represent them exactly, because plans and files store
 * attributes as JSON.
 *
 * @throws ERR_FLOUR_PARAM for a value that JSON would change.
 */
function plainData(at: string, attributes: Attributes): Attributes {
  for (const [key, value] of Object.entries(attributes)) {
    if (isPlain(value)) continue;
    throw flourError('ERR_FLOUR_PARAM', {
      expected: 'strings, finite numbers, booleans, null, and lists of them',
      received: shown(value),
      at: `attribute ${key} of ${at}`,
      hint: 'pass large or other data as parameters',
    });
  }
  return attributes;
}

function isPlain(value: unknown): boolean {
  if (Array.isArray(value)) return value.every(isPlain);
  if (typeof value === 'number') return Number.isFinite(value) && !Object.is(value, -0);
  return value === null || typeof value === 'string' || typeof value === 'boolean';
}
