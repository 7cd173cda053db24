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
import { registerCustom } from './registry.js';
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

/** The answer of one row: called with its values, in the order of `inputs`, then with the call. */
export type RowFunction<
  I extends readonly CustomInput[],
  O extends CustomOutput,
  A extends Attributes,
  P extends ParameterTypes,
> = (...values: [...RowValues<I>, CustomCall<A, P>]) => RowResult<O>;

/** What the type of an output may depend on. */
export interface OutputUse<I extends readonly CustomInput[], A extends Attributes> {
  readonly inputs: readonly ValueType[];
  /** Columns of each input: 1 for a text or a number, NaN for tokens. */
  readonly sizes: { readonly [At in keyof I]: number };
  readonly attributes: A;
}

interface CustomFacts<
  I extends readonly CustomInput[],
  O extends CustomOutput,
  A extends Attributes,
  P extends ParameterTypes,
> {
  /** A namespace and a name: `my-team/postcode`. */
  readonly name: string;
  /** Count it up when the operator answers otherwise: fleet files keep name and version. Default 1. */
  readonly version?: number;
  /** Types of the inputs, in order: `text`, `tokens`, `float32`, `float32[]`, ... */
  readonly inputs: I;
  /** Type of the output, or a function that makes it of the sizes of the inputs and the attributes. */
  readonly output: O | ((use: OutputUse<I, A>) => O);
  /** Names of attributes, with their defaults: small plain data, kept in plans as they are. */
  readonly attributes?: A;
  /** Names of parameters, with their element types: arrays, stored once however many pipelines use them. */
  readonly parameters?: P;
  /**
   * Whose state the parameters are: of featurizers, which pipelines share, or of one model. Default: `featurizer` with parameters, `none`
   * without.
   */
  readonly state?: 'none' | 'featurizer' | 'model';
  /** What tells a use from others in EXPLAIN, in a few words. Default: its attributes. */
  summary?(attributes: A): string;
  /**
   * Milliseconds that the function may take for the rows it gets at once, from 1 to 2^31 - 1: one row of `predict`, up to 64 of a batch. Plans with such
   * an operator run on worker threads, which import its module (`createRuntime({ operatorModules })`); when the time is over the worker is ended, and
   * the call fails with ERR_RUNTIME_STUCK. Default: it ends, and runs where the plan runs.
   */
  readonly deadlineMs?: number;
  /** Takes the place of an operator of the same name and version: for modules that are loaded again. Plans made later use it. */
  readonly replace?: boolean;
}

/** An operator of a user: a function of one row's values, or of a block of rows. */
export type CustomDefinition<
  I extends readonly CustomInput[],
  O extends CustomOutput,
  A extends Attributes,
  P extends ParameterTypes,
> = CustomFacts<I, O, A, P> &
  (
    | { readonly run: RowFunction<I, O, A, P>; readonly runBlock?: undefined }
    | {
        /** All rows of a block at once, as reference kernels see them. What it gives is checked; blocks it gets must not be written. */
        readonly runBlock: (call: ReferenceCall) => Block;
        readonly run?: undefined;
      }
  );

/** What `defineOperator` gives: hand it to `flour.custom` or `flow.custom`. */
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
  /** Only in types: what the output is. */
  readonly output?: O;
}

/**
 * Defines an operator in plain JavaScript, for use anywhere in a program. It is called for each row, at once (no promises), and must be a pure
 * function of its values, attributes and parameters: rows may be answered in any order and number, and equal uses are run once. It runs in
 * JavaScript; the stages around it stay in the addon.
 *
 * Operators are known by name and version on the thread that defined them: put the definition into a module of its own, and import that wherever
 * plans with it are compiled, opened or run (each worker thread, too).
 *
 * @throws ERR_FLOUR_NAME when the name has no namespace, or name and version are taken; ERR_FLOUR_TYPE for a type that does not exist.
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
  return Object.freeze({ name, version, inputs, attributes, parameters, definition: made });
}

/** What timers can wait. */
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
    received: String(deadlineMs),
    at,
  });
}

const kernelOf = (definition: AnyDefinition): ReferenceKernel =>
  definition.run === undefined
    ? blockKernel(definition.name, definition.runBlock)
    : rowKernel(definition.name, definition.run as never);

/** Asked where a program is written, by every rule that changes a plan, and of files. */
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
  const made =
    typeof output === 'function'
      ? output({ inputs: use.inputs, sizes: use.inputs.map(sizeOf), attributes: use.attributes })
      : output;
  return outputType(name, made);
}

function sameNames(at: string, what: string, wanted: readonly string[], given: readonly string[]): void {
  if (wanted.length === given.length && wanted.every((name) => given.includes(name))) return;
  const list = (names: readonly string[]) => (names.length === 0 ? `no ${what}` : `${what} ${names.join(', ')}`);
  throw flourError('ERR_FLOUR_PARAM', { expected: list(wanted), received: list(given), at });
}
