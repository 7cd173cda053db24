import { dtypeOf, type NumericParameter, printType, sizeOf, type ValueType } from '@brezel/core';
import { ofNumbers } from '../../checks.js';
import { defineOp, type Numbers, type OperatorUse } from '../../define-op.js';
import { flourError } from '../../errors.js';
import { Flow } from '../../flow.js';
import { passesMissing } from '../../missing.js';
import type { AnyFlow } from '../../program-types.js';
import { computedTypes, constantLike, ofOneType } from '../arithmetic/operands.js';
import '../densify/index.js';
import { choices } from './choices.js';
import { reference } from './reference.js';

/**
 * Defines the operator `where`, which chooses between two values by a condition, element by
 * element. `Flow.where` adds it to a program.
 *
 * Types: bool[n] and two operands of numbers [n] of the same type, each a flow or a constant → [n]
 * of that type. Also bool[n] and two flows of texts [n] → texts [n].
 */
export const where = defineOp({
  name: 'where',
  version: 1,
  doc: {
    does: 'Chooses between two values, element by element. A value with one element is used for all elements of the row.',
    types:
      'bool[n] and two operands of numbers [n] of one type, each a flow or a constant → [n] of that type; or bool[n] and two flows of texts [n] → text[n]',
    attributes: { yes: 'the value for true: flow or constant', no: 'the value for false: flow or constant' },
    parameters: { yes: '[1] or [n], a constant', no: '[1] or [n], a constant' },
    kernels: ['where', 'where_texts'],
  },
  attributes: { yes: ['flow', 'constant'], no: ['flow', 'constant'] },
  parameters: { yes: 'any', no: 'any' },
  annotations: { cardinality: '1-to-1', bound: 'memory', state: 'none', discontinuous: true, wide: true },
  infer,
  reference,
  missing: passesMissing,
  kernel: ({ attributes, inputs }) => {
    if (inputs[1] !== undefined && dtypeOf(inputs[1]) === 'string') return { kernel: 'where_texts' };
    const constants = choices.filter((name) => attributes[name] === 'constant');
    return {
      kernel: 'where',
      parameters: constants,
      attributes: choices.map((name) => Number(attributes[name] === 'constant')),
    };
  },
});

function infer(use: OperatorUse): ValueType {
  const [condition, ...flows] = use.inputs;
  const constants = choices.filter((name) => use.attributes[name] === 'constant').map((name) => use.parameters[name]);
  if (condition === undefined || flows.length + constants.length !== 2 || constants.includes(undefined))
    throw flourError('ERR_FLOUR_GRAPH', { expected: 'a condition and two values', at: 'where' });
  ofNumbers('where', condition, 'bool');
  const types = flows.map((flow) => ofNumbers('where', flow, ...computedTypes, 'bool', 'string'));
  const dtype = ofOneType('where', [...types.map(dtypeOf), ...constants.map((constant) => constant!.dtype)]);
  const count = (shape: readonly number[]) => shape.reduce((product, one) => product * one, 1);
  const sizes = [...use.inputs.map(sizeOf), ...constants.map((constant) => count(constant!.shape))];
  const size = Math.max(...sizes);
  const isAlike = use.inputs.every(({ kind }) => kind === condition.kind && kind !== 'sparse');
  if (!isAlike || sizes.some((one) => one !== size && one !== 1) || (dtype === 'string' && constants.length > 0))
    throw flourError('ERR_FLOUR_SIZE', {
      expected: 'dense operands of one kind and size, or of size 1',
      received: `${use.inputs.map(printType).join(', ')} and ${constants.length} constants`,
      at: 'where',
    });
  return size === 1 && condition.kind === 'scalar' ? { kind: 'scalar', dtype } : { kind: 'vector', dtype, size };
}

/** An operand between which `where` chooses: a flow, or a constant of any numeric type. */
export type Choice = Flow | NumericParameter;

/**
 * Adds the operator `where`, which returns the element of `yes` if the condition is true, otherwise
 * the element of `no`.
 */
export function choose(condition: Flow, yes: Choice, no: Choice): Flow {
  const both = { yes, no };
  const constants = choices.filter((name) => !(both[name] instanceof Flow));
  const flows = choices.filter((name) => both[name] instanceof Flow).map((name) => denseOf(both[name] as Flow));
  return condition.context.apply(where, [condition, ...flows], {
    attributes: Object.fromEntries(choices.map((name) => [name, constants.includes(name) ? 'constant' : 'flow'])),
    parameters: Object.fromEntries(constants.map((name) => [name, both[name] as NumericParameter])),
  });
}

const denseOf = (flow: Flow): Flow => (flow.kind === 'vector' ? (flow as Flow<'vector'>).densify() : flow);

declare module '../../flow.js' {
  interface Flow<Kind, Row, Value> {
    /**
     * Chooses between two values element by element: `yes` if the bool of this flow is true,
     * otherwise `no`. A constant has the element type of the other value. If both are constants,
     * they are float32.
     *
     * Shapes: bool `[n]`, and two values `[n]` or `[1]` of the same type (numbers, bools, or texts
     * of two flows) → `[n]` of that type. Cost: O(n). Bit-equal on every engine.
     * @throws ERR_FLOUR_SIZE if two sizes differ and neither is 1; ERR_FLOUR_TYPE if the condition
     * is not a bool, or the values differ in type.
     * @see Source: ONNX Where.
     * @example scores.compare('greater', 0).where(scores, 0)
     */
    where(this: Flow<'vector', Row, unknown>, yes: number | Numbers, no: number | Numbers): Flow<'vector', Row>;
    where<Chosen, Yes = unknown, No = unknown>(
      this: Flow<'vector', Row, unknown>,
      yes: Flow<'vector', Yes, Chosen> | number | Numbers,
      no: Flow<'vector', No, Chosen> | number | Numbers,
    ): Flow<'vector', Row & Yes & No, Chosen>;
  }
}

Flow.prototype.where = function (
  this: Flow<'vector'>,
  yes: AnyFlow | number | Numbers,
  no: AnyFlow | number | Numbers,
) {
  const beside = [yes, no].find((one) => one instanceof Flow) as Flow | undefined;
  const choice = (one: Flow | number | Numbers): Choice => {
    if (one instanceof Flow) return one;
    if (beside !== undefined) return constantLike(beside, one);
    const data = Float32Array.from(typeof one === 'number' ? [one] : one, Number);
    return { dtype: 'float32', shape: [data.length], data };
  };
  return choose(this, choice(yes), choice(no)) as never;
};
