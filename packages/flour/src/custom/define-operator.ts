import {
  type Attributes,
  type AttributeValue,
  type Block,
  type DType,
  type ReferenceCall,
  type ReferenceKernel,
  sizeOf,
  type ValueType,
} from '@brezel/core';
import type { OperatorDefinition, OperatorUse } from '../define-op.js';
import { flourError } from '../errors.js';
import type { CustomCall, ParameterTypes } from './call.js';
import type { CustomOperator } from './operator.js';
import { addDefined, registerCustom } from './registry.js';
import { shown } from './row-values.js';
import { blockKernel, rowKernel } from './run.js';
import {
  type CustomInput,
  type CustomOutput,
  checkInput,
  checkInputName,
  outputType,
  type RowResult,
  type RowValue,
} from './values.js';

type RowValues<I extends readonly CustomInput[]> = { [At in keyof I]: RowValue<I[At]> };

/**
 * A function that computes the output for one row. Its arguments are the row's values, in the order
 * of `inputs`, and then the `CustomCall`.
 */
export type RowFunction<
  I extends readonly CustomInput[],
  O extends CustomOutput,
  A extends Attributes,
  P extends ParameterTypes,
> = (...values: [...RowValues<I>, CustomCall<A, P>]) => RowResult<O>;

/**
 * The arguments of the function `output` of a custom operator. The function returns the type of the
 * operator's output.
 */
export interface OutputUse<I extends readonly CustomInput[], A extends Attributes> {
  readonly inputs: readonly ValueType[];
  /** The number of elements of each input: 1 for a text or a number, NaN for tokens. */
  readonly sizes: { readonly [At in keyof I]: number };
  readonly attributes: A;
}

interface CustomFacts<
  I extends readonly CustomInput[],
  O extends CustomOutput,
  A extends Attributes,
  P extends ParameterTypes,
> {
  /** A namespace and a name, for example `my-team/postcode`. */
  readonly name: string;
  /**
   * Version of the operator. Increase it when the answers of the operator change, because fleet
   * files find an operator by name and version. Default 1.
   */
  readonly version?: number;
  /** Types of the inputs, in order: `text`, `tokens`, `float32`, `float32[]`, ... */
  readonly inputs: I;
  /** Type of the output, or a function that derives it from the input sizes and the attributes. */
  readonly output: O | ((use: OutputUse<I, A>) => O);
  /**
   * Names and default values of the attributes. Plans store attributes as JSON, so use small plain
   * data.
   */
  readonly attributes?: A;
  /**
   * Names and element types of the parameters. The object store holds equal arrays once for all
   * programs.
   */
  readonly parameters?: P;
  /**
   * `featurizer`: several models may share the parameters. `model`: the parameters belong to one
   * model. `none`: the operator has no parameters. Default: `featurizer` if `parameters` is given,
   * otherwise `none`.
   */
  readonly state?: 'none' | 'featurizer' | 'model';
  /** Describes one use of the operator in a few words, for EXPLAIN. Default: the attributes. */
  summary?(attributes: A): string;
  /**
   * The longest time, in milliseconds from 1 to 2^31 - 1, that the function may take for one row of
   * `predict`, or for up to 64 rows of a batch together. Plans with a deadline run on worker
   * threads, which import the module of the operator (`createRuntime({ operatorModules })`). After
   * this time, the runtime ends the worker, and the request fails with ERR_RUNTIME_STUCK. Default:
   * no deadline, and the function runs where the plan runs.
   */
  readonly deadlineMs?: number;
  /**
   * If true, replaces an operator with the same name and version. Use it in a module that is loaded
   * again after a change. Plans that are registered later use the new function.
   */
  readonly replace?: boolean;
}

/** A custom operator: a function of the values of one row, or of a block of rows. */
export type CustomDefinition<
  I extends readonly CustomInput[],
  O extends CustomOutput,
  A extends Attributes,
  P extends ParameterTypes,
> = CustomFacts<I, O, A, P> &
  (
    | { readonly run: RowFunction<I, O, A, P>; readonly runBlock?: undefined }
    | {
        /**
         * Computes the output for all rows of a block in one call. Brezel checks the size and types
         * of the result. The function must not change the input blocks.
         */
        readonly runBlock: (call: ReferenceCall) => Block;
        readonly run?: undefined;
      }
  );

/**
 * Defines an operator in plain JavaScript, for use anywhere in a program.
 *
 * Brezel calls the function for each row, synchronously. It must be a pure function of its values,
 * attributes and parameters. Brezel may call it in any order and several times for one row. Uses
 * with equal inputs, attributes and parameters share one call. The operator runs in JavaScript; the
 * other stages of the plan stay in the addon.
 *
 * Each thread has its own list of custom operators. Put the definition into a separate module.
 * Import this module on every thread that compiles, opens or runs plans with the operator, also on
 * worker threads.
 *
 * @throws ERR_FLOUR_NAME for a name without a namespace, for an invalid version, or for a name and
 * version in use; ERR_FLOUR_TYPE for an unknown type; ERR_FLOUR_PARAM unless there is either `run`
 * or `runBlock`, and for an invalid `deadlineMs`.
 * @example
 * const shouting = defineOperator({
 *   name: 'my-team/shouting',
 *   inputs: ['text'],
 *   output: 'float32',
 *   run: (text) => text.replace(/[^A-Z]/g, '').length / Math.max(1, text.length),
 * });
 * const share = flour.columns({ text: 'string' }).select('text').custom(shouting);
 */
export function defineOperator<
  const I extends readonly CustomInput[],
  const O extends CustomOutput,
  A extends Attributes = Readonly<Record<never, AttributeValue>>,
  const P extends ParameterTypes = Readonly<Record<never, DType>>,
>(definition: CustomDefinition<I, O, A, P>): CustomOperator<I, O, A, P> {
  const { name, version = 1, inputs, attributes = {} as A, parameters = {} as P } = definition;
  checkDefinition(definition as never);
  const made: OperatorDefinition = Object.freeze({
    name,
    version,
    annotations: {
      cardinality: 'n-to-1',
      bound: 'memory',
      state: definition.state ?? (Object.keys(parameters).length > 0 ? 'featurizer' : 'none'),
      discontinuous: true,
      javascript: true,
    },
    infer: (use: OperatorUse) => inferred(definition as never, use),
    reference: kernelOf(definition as never),
    ...(definition.deadlineMs !== undefined && { deadlineMs: definition.deadlineMs }),
    ...(definition.summary && {
      summary: (use: Pick<OperatorUse, 'attributes'>) => definition.summary!(use.attributes as A),
    }),
  } as const);
  registerCustom(made, definition.replace === true);
  const operator = Object.freeze({ name, version, inputs, attributes, parameters, definition: made });
  addDefined(operator as never);
  return operator;
}

/** The longest delay of a timer in Node.js, in milliseconds. A longer `deadlineMs` is rejected. */
const GREATEST_DEADLINE_MS = 2 ** 31 - 1;

type AnyDefinition = CustomDefinition<readonly CustomInput[], CustomOutput, Attributes, ParameterTypes>;

function checkDefinition({ name, inputs, output, run, runBlock, deadlineMs }: AnyDefinition): void {
  const at = `defineOperator ${name}`;
  if (!Array.isArray(inputs) || inputs.length === 0)
    throw flourError('ERR_FLOUR_TYPE', { expected: "at least one input: ['text']", at });
  for (const input of inputs) checkInputName(at, input);
  if (typeof output !== 'function') outputType(at, output);
  if ((typeof run === 'function') === (typeof runBlock === 'function'))
    throw flourError('ERR_FLOUR_PARAM', { expected: 'a function: run, or runBlock', at });
  if (deadlineMs === undefined || (deadlineMs >= 1 && deadlineMs <= GREATEST_DEADLINE_MS)) return;
  throw flourError('ERR_FLOUR_PARAM', {
    expected: `deadlineMs from 1 to ${GREATEST_DEADLINE_MS}`,
    received: shown(deadlineMs),
    at,
  });
}

const kernelOf = (definition: AnyDefinition): ReferenceKernel =>
  definition.run === undefined
    ? blockKernel(definition.name, definition.runBlock)
    : rowKernel(definition.name, definition.run as never);

/**
 * Checks one use of a custom operator, and returns the type of its output. Brezel calls it when a
 * program is built, when a rule changes a plan, and when a plan is read from a file.
 */
function inferred({ name, inputs, output, attributes, parameters = {} }: AnyDefinition, use: OperatorUse): ValueType {
  if (use.inputs.length !== inputs.length)
    throw flourError('ERR_FLOUR_GRAPH', {
      expected: `${inputs.length} inputs`,
      received: `${use.inputs.length}`,
      at: name,
    });
  inputs.forEach((input, at) => {
    checkInput(`input ${at} of ${name}`, input, use.inputs[at]!);
  });
  sameNames(name, 'attributes', Object.keys(attributes ?? {}), Object.keys(use.attributes));
  sameNames(name, 'parameters', Object.keys(parameters), Object.keys(use.parameters));
  for (const [key, dtype] of Object.entries(parameters)) {
    const received = use.parameters[key]!.dtype;
    if (received !== dtype) throw flourError('ERR_FLOUR_PARAM', { expected: `${key} of ${dtype}`, received, at: name });
  }
  const made = typeof output === 'function' ? computedOutput(name, output as never, use) : output;
  return outputType(name, made);
}

/**
 * Calls the function `output` of a custom operator.
 *
 * @throws ERR_FLOUR_TYPE if the function throws or does not return a text.
 */
function computedOutput(
  name: string,
  output: (use: OutputUse<readonly CustomInput[], Attributes>) => unknown,
  { inputs, attributes }: OperatorUse,
): string {
  const expected = 'a function `output` that returns the type of the output, such as float32[3]';
  let made: unknown;
  try {
    made = output({ inputs, sizes: inputs.map(sizeOf), attributes });
  } catch (cause) {
    const message = cause instanceof Error ? cause.message : String(cause);
    const hint = 'check the function `output` in defineOperator; `cause` contains its error';
    throw flourError('ERR_FLOUR_TYPE', { expected, received: `the error: ${message}`, at: name, hint, cause });
  }
  if (typeof made === 'string') return made;
  throw flourError('ERR_FLOUR_TYPE', { expected, received: typeof made, at: name });
}

function sameNames(at: string, what: string, wanted: readonly string[], given: readonly string[]): void {
  if (wanted.length === given.length && wanted.every((name) => given.includes(name))) return;
  const list = (names: readonly string[]) => (names.length === 0 ? `no ${what}` : `${what} ${names.join(', ')}`);
  throw flourError('ERR_FLOUR_PARAM', { expected: list(wanted), received: list(given), at });
}
