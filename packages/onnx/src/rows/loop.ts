import type { ElementType } from '@brezel/core';
import { withLoopCounters } from '../loop-counters.js';
import type { NodeProto } from '../proto/schema.js';
import { constantOf, plainConstant } from './constant.js';
import { type AxisHost, stack } from './stacked.js';
import { type BodyHost, UnrolledBody } from './unrolled-body.js';

/**
 * Converts a Loop by converting its body once for each iteration. The trip count and the conditions
 * must be constants.
 *
 * @throws the error of `host.refuse` for other loops.
 */
export function unrollLoop(loop: NodeProto, host: BodyHost & AxisHost): void {
  const given = loop.attribute.find(({ name }) => name === 'body')?.g;
  const [trips = '', condition = '', ...carried] = loop.input;
  if (given === undefined || given.input.length !== 2 + carried.length || given.output.length < 1 + carried.length)
    throw host.refuse('a body whose inputs and outputs do not match its node');
  if (carried.includes('')) throw host.refuse('a carried value that is missing');
  const most = trips === '' ? Number.POSITIVE_INFINITY : constantNumber(trips, 'int64', 'a trip count', host);
  const prefix = loop.output.find((name) => name !== '') ?? '';
  const body = new UnrolledBody(withLoopCounters(given), prefix, host);
  const collected: string[][] = given.output.slice(1 + carried.length).map(() => []);
  let values = carried;
  let goesOn = condition === '' || isTrue(condition, host);
  for (let iteration = 0; goesOn && iteration < most; iteration++) {
    const counter = `${prefix} iteration ${iteration}`;
    const isOn = `${prefix} condition ${iteration}`;
    const number = { element: 'int64', shape: [], data: BigInt64Array.of(BigInt(iteration)) } as const;
    host.define(counter, plainConstant(constantOf(number), 'int64'));
    host.define(isOn, plainConstant(constantOf({ element: 'bool', shape: [], data: Uint8Array.of(1) }), 'bool'));
    const [next, ...results] = body.iterate([counter, isOn, ...values]);
    goesOn = isTrue(next!, host);
    values = results.slice(0, carried.length);
    collected.forEach((list, at) => list.push(results[carried.length + at]!));
  }
  loop.output.forEach((name, at) => {
    if (name === '') return;
    if (at < carried.length) return passOn(values[at]!, name, host);
    const list = collected[at - carried.length];
    if (list === undefined || list.length === 0) throw host.refuse('an output without iterations');
    stack(list, name, 0, host);
  });
}

/** Makes the value `from` also available under the name `to`. */
export function passOn(from: string, to: string, host: BodyHost): void {
  const value = host.value(from);
  if (value === undefined) throw host.refuse(`a value "${from}" that no node computes`);
  host.define(to, value);
}

const isTrue = (name: string, host: BodyHost) => constantNumber(name, 'bool', 'a condition', host) !== 0;

/**
 * Returns the number in a constant with one element. Throws the error of `host.refuse` for other
 * values.
 */
function constantNumber(name: string, element: ElementType, what: string, host: BodyHost): number {
  const value = host.value(name);
  if (value?.kind !== 'constant') throw host.refuse(`${what} that depends on the row`);
  if (value.byRows !== undefined && !host.isFixed) throw host.refuse(`${what} that depends on the number of rows`);
  const { data } = value.tensor;
  if (value.element !== element || data.length !== 1) throw host.refuse(`${what} that is not one ${element}`);
  return Number(data[0]);
}
