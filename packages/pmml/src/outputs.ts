import { type Flow, type Labels, lookUp } from '@brezel/flour';
import { type Context, flowOf } from './context.js';
import { damaged } from './errors.js';
import { castTo, expressionOf } from './expressions/expression.js';
import type { ExpressionUse } from './expressions/expression-use.js';
import { Scope } from './fields/scope.js';
import { placeOf } from './models/classes.js';
import type { ModelUse } from './models/model.js';
import type { Classification, Result } from './models/result.js';
import { asIndex, choose, isPresent } from './operands.js';
import { targetOf } from './targets.js';
import { MISSING, type Operand, typeOf, type Value } from './value.js';
import type { Element } from './xml/element.js';

/** Returns the answer of an operand: one number, or NaN for a missing value. */
const numberAnswer = (operand: Operand, context: Context): Flow => flowOf(context, operand).asScalar();

/** Returns the integers of class names, if the target is numeric and all names are integers. */
function integerLabels({ dictionary, target }: ModelUse, classes: readonly string[]): readonly number[] | undefined {
  const dataType = target === undefined ? undefined : dictionary.get(target)?.dataType;
  if (dataType !== 'integer' && dataType !== 'double' && dataType !== 'float') return undefined;
  const numbers = classes.map(Number);
  return numbers.every((number, index) => Number.isSafeInteger(number) && classes[index]!.trim() !== '')
    ? numbers
    : undefined;
}

/** Returns the texts that the file shows for classes. */
function shownClasses(use: ModelUse, classes: readonly string[]): readonly string[] {
  const shown = new Map(
    (targetOf(use)?.all('TargetValue') ?? []).map((value) => [value.get('value'), value.get('displayValue')]),
  );
  return classes.map((name) => shown.get(name) ?? name);
}

/**
 * Returns the answer of a class index. A missing prediction is the empty text. If the classes are
 * integers, a row without prediction is an error, because no integer means a missing value.
 */
function labelAnswer({ label }: Classification, labels: Labels): Flow {
  if (typeof labels[0] !== 'string') {
    const places = Array.from(labels as readonly number[], (_, index) => index);
    return label.indexOf(places, { unknown: 'error' }).asScalar().labels(labels);
  }
  const index = choose(isPresent(label), label, labels.length) as Flow<'vector'>;
  return asIndex(index).labels([...(labels as readonly string[]), '']);
}

/** Returns the answer of a string: its text, or the empty text for a missing value. */
function textAnswer({ operand, texts }: Value, { context }: ModelUse): Flow {
  const { names } = context;
  const possible = [...new Set(texts ?? names.all)];
  if (possible.length === 0) possible.push('');
  const codes = possible.map((text) => names.code(text));
  return flowOf(context, operand)
    .indexOf(codes, { unknown: 'count' })
    .asScalar()
    .labels([...possible, '']);
}

/** The outputs of a model by name. */
export type Answers = Map<string, Flow>;

/**
 * Returns the outputs: `prediction`, or `label` and `probabilities`, then the output fields of the
 * file.
 */
export function answersOf(use: ModelUse, result: Result, expressions: ExpressionUse): Answers {
  const answers: Answers = new Map();
  if (result.kind === 'regression') answers.set('prediction', numberAnswer(result.value, use.context));
  else {
    answers.set('label', labelAnswer(result, integerLabels(use, result.classes) ?? result.classes));
    answers.set('probabilities', result.probabilities);
  }
  const scope = new Scope(use.context.budget, use.scope);
  const fields = use.element.find('Output')?.all('OutputField') ?? [];
  for (const field of fields) {
    use.context.budget.node(field.at);
    const name = field.required('name');
    if (name === '' || name === '__proto__') throw damaged(field.at, 'a name', JSON.stringify(name));
    const answer = fieldAnswer(use, result, { ...expressions, scope }, field);
    if (answer !== undefined) answers.set(name, answer);
    scope.define(name, () => outputValue(use, result, { ...expressions, scope }, field));
  }
  return answers;
}

function fieldAnswer(use: ModelUse, result: Result, expressions: ExpressionUse, field: Element): Flow | undefined {
  const feature = field.get('feature') ?? 'predictedValue';
  if (field.has('segmentId')) return leftOut(use, field, 'segmentId');
  if (result.kind === 'classification' && (feature === 'predictedValue' || feature === 'predictedDisplayValue')) {
    if (feature === 'predictedDisplayValue') return labelAnswer(result, shownClasses(use, result.classes));
    return labelAnswer(result, integerLabels(use, result.classes) ?? result.classes);
  }
  if (!supported.has(feature)) return leftOut(use, field, feature);
  if (feature === 'reasonCode') return reasonAnswer(use, result, field);
  const value = outputValue(use, result, expressions, field);
  return value.type === 'string' ? textAnswer(value, use) : numberAnswer(value.operand, use.context);
}

const supported: ReadonlySet<string> = new Set([
  'predictedValue',
  'predictedDisplayValue',
  'probability',
  'transformedValue',
  'decision',
  'reasonCode',
]);

function leftOut({ context }: ModelUse, field: Element, what: string): undefined {
  const name = field.required('name').slice(0, 40);
  context.warnings.add(
    `the output field ${name} is left out, because the importer does not support ${what.slice(0, 40)}`,
  );
  return undefined;
}

/** Returns the reason code with the rank of an output field, as a text. */
function reasonAnswer(use: ModelUse, result: Result, field: Element): Flow | undefined {
  if (result.kind !== 'regression' || result.reasons === undefined) return leftOut(use, field, 'reasonCode');
  const { codes, ranks, count, score } = result.reasons;
  const rank = field.number('rank', 1);
  if (!Number.isInteger(rank) || rank < 1) throw damaged(`${field.at}, rank`, 'a rank from 1', `${rank}`);
  if (rank > count) return leftOut(use, field, `rank ${rank} of ${count} characteristics`);
  const index = choose(isPresent(score), ranks.selectColumns([rank - 1]), codes.length) as Flow<'vector'>;
  return asIndex(index).labels([...codes, '']);
}

/** Returns the value of an output field for expressions and for later models. */
function outputValue(use: ModelUse, result: Result, expressions: ExpressionUse, field: Element): Value {
  const { context, target, dictionary } = use;
  const feature = field.get('feature') ?? 'predictedValue';
  switch (feature) {
    case 'predictedValue':
    case 'predictedDisplayValue':
      if (result.kind === 'regression') return { type: 'number', operand: result.value };
      return classValue(use, result, target === undefined ? undefined : dictionary.get(target)?.dataType);
    case 'probability':
      return { type: 'number', operand: probabilityOf(result, field) };
    case 'transformedValue':
    case 'decision': {
      const dataType = field.get('dataType');
      const type = dataType === undefined ? undefined : typeOf(dataType, field.at);
      const value = expressions.convert({ ...expressions, type }, expressionOf(field));
      return type === undefined ? value : castTo(value, type, dataType!, context, field.at);
    }
    default:
      throw damaged(field.at, 'an output field that others can use', feature);
  }
}

/** Returns the probability of the class `value`, or of the predicted class. */
function probabilityOf(result: Result, field: Element): Operand {
  if (result.kind === 'regression') throw damaged(field.at, 'a classification model', 'a regression model');
  const { classes, probabilities, label } = result;
  const name = field.get('value');
  if (name !== undefined) {
    const place = placeOf(classes, name);
    if (place < 0) throw damaged(field.at, 'a class of the target', JSON.stringify(name.slice(0, 40)));
    return probabilities.selectColumns([place]);
  }
  const known = choose(isPresent(label), label, 0) as Flow<'vector'>;
  const place = known.cast('int64') as unknown as Flow<'vector'>;
  return choose(isPresent(label), probabilities.gather(place), MISSING);
}

/** Returns the predicted class as a number, or as the code of a string. */
function classValue({ context }: ModelUse, { label, classes }: Classification, dataType: string | undefined): Value {
  const isNumeric = dataType === 'integer' || dataType === 'double' || dataType === 'float';
  const data = Float64Array.from(classes, (name) => (isNumeric ? Number(name) : context.names.code(name)));
  const known = choose(isPresent(label), label, 0) as Flow<'vector'>;
  const index = asIndex(known);
  const value = (lookUp(index, { dtype: 'float64', shape: [data.length], data }) as Flow<'scalar'>).asVector();
  return { type: isNumeric ? 'number' : 'string', operand: choose(isPresent(label), value, MISSING) };
}

/** Defines the output fields of a model in a chain, so that later models can read them. */
export function chainedOutputs(
  use: ModelUse,
  result: Result,
  expressions: ExpressionUse,
  define: (name: string, convert: () => Value) => void,
): void {
  const scope = new Scope(use.context.budget, use.scope);
  for (const field of use.element.find('Output')?.all('OutputField') ?? []) {
    const convert = () => outputValue(use, result, { ...expressions, scope }, field);
    scope.define(field.required('name'), convert);
    define(field.required('name'), convert);
  }
}
