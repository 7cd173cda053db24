import { damaged, unsupported } from '../errors.js';
import { Scope } from '../fields/scope.js';
import { choose, isPresent } from '../operands.js';
import { constantOf, type Operand, type Value } from '../value.js';
import type { Element } from '../xml/element.js';
import type { ExpressionUse } from './expression-use.js';
import { builtIn } from './functions.js';

/** Converts `Apply`: a built-in function, or a function that the document defines. */
export function apply(use: ExpressionUse, element: Element): Value {
  const name = element.required('function');
  element.supported('invalidValueTreatment', ['returnInvalid', 'asIs', 'asMissing'], 'returnInvalid');
  const values = element.children.map((child) => use.convert({ ...use, type: undefined }, child));
  const result = call(use, element, name, values);
  const constant = (attribute: string) =>
    constantOf(result, element.required(attribute), use.context.names, `${element.at}, ${attribute}`);
  let { operand } = result;
  if (element.has('mapMissingTo')) {
    const replacement = constant('mapMissingTo');
    operand = values.reduce((chosen: Operand, value) => choose(isPresent(value.operand), chosen, replacement), operand);
  }
  if (element.has('defaultValue')) operand = choose(isPresent(operand), operand, constant('defaultValue'));
  const isReplaced = element.has('mapMissingTo') || element.has('defaultValue');
  return { type: result.type, operand, ...(result.texts && !isReplaced && { texts: result.texts }) };
}

function call(use: ExpressionUse, element: Element, name: string, values: readonly Value[]): Value {
  const defined = use.functions.get(name);
  if (defined !== undefined) return callDefined(use, element, defined, values);
  const run = Object.hasOwn(builtIn, name) ? builtIn[name] : undefined;
  if (run === undefined) throw unsupported(element.at, `the function ${name}`);
  return run({ values, context: use.context, at: element.at });
}

/** Converts the expression of a function for the values of its parameters. */
function callDefined(use: ExpressionUse, element: Element, defined: Element, values: readonly Value[]): Value {
  const parameters = defined.all('ParameterField');
  if (parameters.length !== values.length)
    throw damaged(element.at, `${parameters.length} arguments`, `${values.length}`);
  // A function sees its parameters only.
  const scope = new Scope(use.context.budget);
  parameters.forEach((parameter, index) => scope.define(parameter.required('name'), () => values[index]!));
  const body = defined.children.find(({ name }) => name !== 'ParameterField');
  if (body === undefined) throw damaged(defined.at, 'an expression', 'none');
  return use.convert({ ...use, scope, type: undefined }, body);
}
