import type { Context } from '../context.js';
import { damaged, unsupported } from '../errors.js';
import { convertExpression, derivedField, expressionOf } from '../expressions/expression.js';
import type { ExpressionUse } from '../expressions/expression-use.js';
import type { DataDictionary } from '../fields/data-dictionary.js';
import { type MiningField, readMiningSchema } from '../fields/mining-schema.js';
import { prepareAgain } from '../fields/prepare.js';
import { Scope } from '../fields/scope.js';
import { chainedOutputs } from '../outputs.js';
import { withTarget } from '../targets.js';
import type { Operand } from '../value.js';
import type { Element } from '../xml/element.js';
import { generalRegression } from './general-regression.js';
import { mining } from './mining.js';
import type { ModelReader, ModelUse } from './model.js';
import { regression } from './regression.js';
import type { Result } from './result.js';
import { scorecard } from './scorecard.js';
import { tree } from './tree.js';

const readers: Readonly<Record<string, ModelReader>> = {
  GeneralRegressionModel: generalRegression,
  MiningModel: mining,
  RegressionModel: regression,
  Scorecard: scorecard,
  TreeModel: tree,
};

/** The parts of a document that all its models share. */
export interface Document {
  readonly context: Context;
  readonly dictionary: DataDictionary;
  readonly functions: ReadonlyMap<string, Element>;
}

/** Converts a model of any kind, and applies its targets. */
export function convertModel(use: ModelUse): Result {
  const { element, context } = use;
  const read = Object.hasOwn(readers, element.name) ? readers[element.name] : undefined;
  if (read === undefined) throw unsupported(element.at, element.name);
  if (element.get('isScorable') === 'false') throw unsupported(element.at, 'isScorable="false"');
  const variant = Object.keys(element.attributes).find((name) => name.startsWith('x-'));
  if (variant !== undefined) context.warnings.add(`the importer ignores the attribute ${variant.slice(0, 40)}`);
  return context.budget.nested(element.at, () => withTarget(use, read(use)));
}

/** Returns what expressions of the document need in a scope. */
export const expressionUse = ({ context, functions }: Document, scope: Scope): ExpressionUse => ({
  context,
  scope,
  functions,
  convert: convertExpression,
});

/** Defines the derived fields of an element. */
export function defineFields(document: Document, scope: Scope, element: Element | undefined): void {
  for (const field of element?.all('DerivedField') ?? [])
    scope.define(field.required('name'), () => derivedField(expressionUse(document, scope), field));
}

/** Returns a model with the fields that it can read. `scope` has the fields of its schema. */
export function modelUse(document: Document, element: Element, schema: readonly MiningField[], scope: Scope): ModelUse {
  const { context, dictionary } = document;
  defineFields(document, scope, element.find('LocalTransformations'));
  return {
    context,
    element,
    scope,
    schema,
    dictionary,
    target: schema.find(({ usage }) => usage === 'target')?.name,
    inner: (model, outer) => innerModel(document, model, outer),
    convert: convertModel,
    number: (owner) => numberOf(document, scope, owner),
    outputs: (use, result, define) => chainedOutputs(use, result, expressionUse(document, use.scope), define),
  };
}

function numberOf(document: Document, scope: Scope, owner: Element): Operand {
  const { type, operand } = convertExpression(expressionUse(document, scope), expressionOf(owner));
  if (type === 'string') throw damaged(owner.at, 'a number', 'a string');
  return operand;
}

/** Returns a model inside a mining model. Its schema treats the fields of the outer model again. */
function innerModel(document: Document, element: Element, outer: Scope): ModelUse {
  if (element.find('MiningSchema') === undefined && !Object.hasOwn(readers, element.name))
    throw unsupported(element.at, element.name);
  const schema = readMiningSchema(element);
  const { budget, names } = document.context;
  const scope = new Scope(budget, outer);
  for (const field of schema) {
    if (field.usage !== 'active') continue;
    if (!outer.has(field.name)) throw damaged(field.at, 'a field of the outer model', field.name);
    const isTreated = field.missingReplacement !== undefined || field.outliers !== 'asIs' || field.rejectsMissing;
    if (isTreated) scope.define(field.name, () => prepareAgain(outer.field(field.name, field.at), field, names));
  }
  return modelUse(document, element, schema, scope);
}
