import type { Context } from '../context.js';
import { damaged, unsupported } from '../errors.js';
import { asFloat32, choose, isPresent } from '../operands.js';
import { constantOf, MISSING, type Operand, typeOf, type Value, type ValueType } from '../value.js';
import { type Element, isNumber } from '../xml/element.js';
import { apply } from './apply.js';
import { discretize } from './discretize.js';
import type { ExpressionUse } from './expression-use.js';
import { mapValues } from './map-values.js';
import { normContinuous, normDiscrete } from './norm.js';

type ExpressionReader = (use: ExpressionUse, element: Element) => Value;

const readers: Readonly<Record<string, ExpressionReader>> = {
  Constant: constant,
  FieldRef: fieldRef,
  NormContinuous: normContinuous,
  NormDiscrete: normDiscrete,
  Discretize: discretize,
  MapValues: mapValues,
  Apply: apply,
};

/** Expressions of PMML that are not supported. */
const otherExpressions = ['TextIndex', 'Aggregate', 'Lag'];
const names: readonly string[] = [...Object.keys(readers), ...otherExpressions];

/** Returns the expression inside an element. */
export const expressionOf = (element: Element): Element => element.one(names, 'an expression');

/** Converts an expression. */
export function convertExpression(use: ExpressionUse, element: Element): Value {
  const { budget } = use.context;
  const read = readers[element.name];
  if (read === undefined) throw unsupported(element.at, element.name);
  budget.node(element.at);
  return budget.nested(element.at, () => read(use, element));
}

function constant({ context, type }: ExpressionUse, element: Element): Value {
  const text = element.text;
  const own = element.get('dataType');
  if (element.get('missing') === 'true') return { type: type ?? 'number', operand: MISSING };
  const chosen = own === undefined ? (isNumber(text) ? 'number' : (type ?? 'string')) : typeOf(own, element.at);
  const isFloat = own === 'float';
  return {
    type: chosen,
    isFloat,
    operand: constantOf({ type: chosen, isFloat }, text, context.names, element.at),
    text,
    texts: [text],
  };
}

function fieldRef({ context, scope }: ExpressionUse, element: Element): Value {
  const value = scope.field(element.required('field'), element.at);
  const replacement = element.get('mapMissingTo');
  if (replacement === undefined) return value;
  const constant = constantOf(value, replacement, context.names, element.at);
  const texts = value.texts && [...value.texts, replacement];
  return { ...value, operand: choose(isPresent(value.operand), value.operand, constant), ...(texts && { texts }) };
}

/** Converts a derived field: its expression, converted to the type of the field. */
export function derivedField(use: ExpressionUse, element: Element): Value {
  const dataType = element.required('dataType');
  const type = typeOf(dataType, element.at);
  return castTo(use.convert({ ...use, type }, expressionOf(element)), type, dataType, use.context, element.at);
}

/** Converts a value to a data type. */
export function castTo(value: Value, type: ValueType, dataType: string, context: Context, at: string): Value {
  const isFloat = dataType === 'float';
  if (value.type !== type && value.text !== undefined)
    return {
      type,
      isFloat,
      operand: constantOf({ type, isFloat }, value.text, context.names, at),
      text: value.text,
      texts: [value.text],
    };
  if (value.type !== type && (value.type === 'string' || type === 'string'))
    throw unsupported(at, `a ${value.type} as dataType="${dataType}"`);
  return { ...value, type, isFloat, operand: isFloat ? rounded(value.operand) : value.operand };
}

function rounded(operand: Operand): Operand {
  if (typeof operand === 'number') return Math.fround(operand);
  return asFloat32(operand);
}

/** Reads the functions that a document defines. */
export function readFunctions(dictionary: Element | undefined): ReadonlyMap<string, Element> {
  const functions = new Map<string, Element>();
  for (const element of dictionary?.all('DefineFunction') ?? []) {
    const name = element.required('name');
    if (functions.has(name)) throw damaged(element.at, 'distinct names of functions', name);
    functions.set(name, element);
  }
  return functions;
}
