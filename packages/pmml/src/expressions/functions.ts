import type { Context } from '../context.js';
import { damaged, unsupported } from '../errors.js';
import {
  arithmetic,
  booleanOf,
  type Condition,
  choose,
  compare,
  isPresent,
  map,
  type Unary,
  unlessMissing,
} from '../operands.js';
import { constantOf, MISSING, type Operand, type Value } from '../value.js';

/** The arguments of a built-in function. */
interface Call {
  readonly values: readonly Value[];
  readonly context: Context;
  readonly at: string;
}

type BuiltIn = (call: Call) => Value;

const number = (operand: Operand): Value => ({ type: 'number', operand });
const boolean = (operand: Operand): Value => ({ type: 'boolean', operand });

/** Returns the arguments. Their number must be between two bounds. */
function taken({ values, at }: Call, least: number, most = least): readonly Value[] {
  if (values.length >= least && values.length <= most) return values;
  const expected = least === most ? `${least}` : most === Infinity ? `at least ${least}` : `${least} to ${most}`;
  throw damaged(at, `${expected} arguments`, `${values.length}`);
}

/** Returns the arguments as numbers. */
function numbers(call: Call, least: number, most = least): readonly Operand[] {
  return taken(call, least, most).map(({ type, operand, text }) => {
    if (type === 'string') throw damaged(call.at, 'numbers', text ?? 'a string');
    return operand;
  });
}

const of =
  (operation: Parameters<typeof arithmetic>[0]): BuiltIn =>
  (call) => {
    const [a, b] = numbers(call, 2) as [Operand, Operand];
    return number(arithmetic(operation, a, b));
  };

const ofOne =
  (apply: (x: Operand) => Operand): BuiltIn =>
  (call) =>
    number(apply(numbers(call, 1)[0]!));
const mapped = (name: Unary): BuiltIn => ofOne((x) => map(name, x));

/**
 * Combines the arguments that are not missing. The result is missing if all of them are.
 */
const aggregate =
  (
    start: number,
    combine: (total: Operand, x: Operand) => Operand,
    finish = (total: Operand, _count: Operand) => total,
  ): BuiltIn =>
  (call) => {
    let [total, count]: [Operand, Operand] = [start, 0];
    for (const x of numbers(call, 1, Infinity)) {
      const present = isPresent(x);
      total = choose(present, combine(total, x), total);
      count = arithmetic('add', count, booleanOf(present));
    }
    return number(choose(compare('greater', count, 0), finish(total, count), MISSING));
  };

/**
 * Returns two values as one type, so that they can be compared. A constant takes the other type.
 */
function comparable({ context, at }: Call, a: Value, b: Value): readonly [Operand, Operand] {
  if (a.type === b.type) {
    if (a.type === 'string' && a.text === undefined && b.text === undefined)
      throw unsupported(at, 'a comparison of two strings that are not constant');
    return [a.operand, b.operand];
  }
  const asOther = (constant: Value, other: Value) => constantOf(other, constant.text!, context.names, at);
  if (b.text !== undefined) return [a.operand, asOther(b, a)];
  if (a.text !== undefined) return [asOther(a, b), b.operand];
  if (a.type !== 'string' && b.type !== 'string') return [a.operand, b.operand];
  throw damaged(at, 'values of one type', `a ${a.type} and a ${b.type}`);
}

const comparison =
  (name: Parameters<typeof compare>[0]): BuiltIn =>
  (call) => {
    const [first, second] = taken(call, 2) as [Value, Value];
    const [a, b] = comparable(call, first, second);
    if (name !== 'equal' && first.type === 'string') throw unsupported(call.at, 'an order of strings');
    return boolean(unlessMissing(booleanOf(compare(name, a, b)), [a, b]));
  };

const not = (x: Operand): Operand => arithmetic('subtract', 1, x);
const isZero = (x: Operand): Condition => compare('equal', x, 0);
const isOne = (x: Operand): Condition => compare('equal', x, 1);

/** A missing value makes the result missing, unless another value decides it. */
const and = (a: Operand, b: Operand): Operand =>
  choose(isZero(a), 0, choose(isZero(b), 0, arithmetic('multiply', a, b)));
const or = (a: Operand, b: Operand): Operand => choose(isOne(a), 1, choose(isOne(b), 1, arithmetic('add', a, b)));

const junction =
  (combine: (a: Operand, b: Operand) => Operand): BuiltIn =>
  (call) =>
    boolean(numbers(call, 1, Infinity).reduce(combine));

const isIn = (call: Call): Operand => {
  const [value, ...set] = taken(call, 2, Infinity) as [Value, ...Value[]];
  const tests = set.map((one) => {
    const [a, b] = comparable(call, value, one);
    return booleanOf(compare('equal', a, b));
  });
  return unlessMissing(tests.reduce(or), [value.operand]);
};

const missingTest =
  (wantsMissing: boolean): BuiltIn =>
  (call) => {
    const present = booleanOf(isPresent(taken(call, 1)[0]!.operand));
    return boolean(wantsMissing ? not(present) : present);
  };

/** Chooses between two values by a condition. Without the third argument, the result is missing. */
const conditional: BuiltIn = (call) => {
  const [condition, yes, no] = taken(call, 2, 3) as [Value, Value, Value?];
  const isText = yes.type === 'string' || no?.type === 'string';
  const type = isText ? 'string' : yes.type;
  const chosen = (value: Value): Operand => {
    if (value.type === type || (!isText && value.type !== 'string')) return value.operand;
    if (value.text === undefined) throw damaged(call.at, 'results of one type', `a ${value.type}`);
    return constantOf({ type }, value.text, call.context.names, call.at);
  };
  const otherwise = no === undefined ? MISSING : chosen(no);
  const operand = choose(isOne(condition.operand), chosen(yes), choose(isZero(condition.operand), otherwise, MISSING));
  const outcomes = no === undefined ? [yes] : [yes, no];
  const isKnown = outcomes.every(({ texts }) => texts !== undefined);
  return { type, operand, ...(isKnown && { texts: outcomes.flatMap(({ texts }) => texts ?? []) }) };
};

/** The built-in functions of PMML that have a numeric or boolean result, and `if`. */
export const builtIn: Readonly<Record<string, BuiltIn>> = {
  '+': of('add'),
  '-': (call) => (call.values.length === 1 ? ofOne((x) => arithmetic('multiply', x, -1))(call) : of('subtract')(call)),
  '*': of('multiply'),
  '/': of('divide'),
  pow: of('power'),
  min: aggregate(Infinity, (total, x) => arithmetic('minimum', total, x)),
  max: aggregate(-Infinity, (total, x) => arithmetic('maximum', total, x)),
  sum: aggregate(0, (total, x) => arithmetic('add', total, x)),
  product: aggregate(1, (total, x) => arithmetic('multiply', total, x)),
  avg: aggregate(
    0,
    (total, x) => arithmetic('add', total, x),
    (total, count) => arithmetic('divide', total, count),
  ),
  exp: mapped('exp'),
  ln: mapped('log'),
  log10: ofOne((x) => arithmetic('divide', map('log', x), Math.LN10)),
  sqrt: mapped('sqrt'),
  abs: mapped('abs'),
  floor: mapped('floor'),
  ceil: mapped('ceil'),
  round: ofOne((x) => map('floor', arithmetic('add', x, 0.5))),
  expm1: ofOne((x) => arithmetic('subtract', map('exp', x), 1)),
  ln1p: ofOne((x) => map('log', arithmetic('add', x, 1))),
  sin: mapped('sin'),
  cos: mapped('cos'),
  tan: mapped('tan'),
  asin: mapped('asin'),
  acos: mapped('acos'),
  atan: mapped('atan'),
  sinh: mapped('sinh'),
  cosh: mapped('cosh'),
  tanh: mapped('tanh'),
  threshold: (call) => {
    const [a, b] = numbers(call, 2) as [Operand, Operand];
    return number(unlessMissing(booleanOf(compare('greater', a, b)), [a, b]));
  },
  equal: comparison('equal'),
  notEqual: (call) => boolean(not(comparison('equal')(call).operand)),
  lessThan: comparison('less'),
  lessOrEqual: comparison('lessOrEqual'),
  greaterThan: comparison('greater'),
  greaterOrEqual: comparison('greaterOrEqual'),
  and: junction(and),
  or: junction(or),
  not: (call) => boolean(not(numbers(call, 1)[0]!)),
  isIn: (call) => boolean(isIn(call)),
  isNotIn: (call) => boolean(not(isIn(call))),
  isMissing: missingTest(true),
  isNotMissing: missingTest(false),
  if: conditional,
};
