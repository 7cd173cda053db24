import { sizeOf } from '@brezel/core';
import type { Flow } from '@brezel/flour';
import { converted } from '../context.js';
import { damaged, unsupported } from '../errors.js';
import { constantFlow } from '../operands.js';
import type { Operand } from '../value.js';
import type { Element } from '../xml/element.js';
import { Classes, mostProbable, placeOf } from './classes.js';
import { LinearTerms } from './linear-terms.js';
import { type LinkName, link, links } from './links.js';
import { listedClasses, type ModelReader, type ModelUse } from './model.js';

const methods = ['none', 'simplemax', 'softmax', 'exp', ...links] as const;

/**
 * Reads a `RegressionModel`.
 * @see Source: PMML 4.4, RegressionModel.
 */
export const regression: ModelReader = (use) => {
  const { element, context } = use;
  converted(context, 'pmml:RegressionModel', element.at);
  const tables = element.all('RegressionTable');
  if (tables.length === 0) throw damaged(element.at, 'a RegressionTable', 'none');
  const method = element.choice('normalizationMethod', methods, 'none');
  if (element.choice('functionName', ['regression', 'classification']) === 'regression') {
    if (tables.length !== 1) throw damaged(element.at, 'one RegressionTable', `${tables.length}`);
    const score = sums(use, tables);
    return { kind: 'regression', value: normalizedNumber(method, score, element) };
  }
  return classify(use, tables, method);
};

function normalizedNumber(method: (typeof methods)[number], score: Flow<'vector'>, element: Element): Operand {
  switch (method) {
    case 'none':
      return score;
    case 'exp':
      return score.map('exp');
    case 'simplemax':
      throw damaged(`${element.at}, normalizationMethod`, 'a method for one number', method);
    default:
      return link(method === 'softmax' ? 'logit' : method, score);
  }
}

function classify(use: ModelUse, tables: readonly Element[], method: (typeof methods)[number]) {
  const { element } = use;
  const categories = tables.map((table) => table.required('targetCategory'));
  const classes = new Classes([...listedClasses(use), ...categories]);
  if (new Set(categories).size !== categories.length || classes.size !== categories.length || classes.size < 2)
    throw damaged(element.at, 'one RegressionTable for each of at least 2 classes', `${categories.join(', ')}`);
  const isOrdinal = use.target !== undefined && use.dictionary.get(use.target)?.optype === 'ordinal';
  const scores = sums(use, tables);
  const own = isOrdinal ? ordinal(scores, method, element) : categorical(scores, method, categories.length, element);
  // The order of the data dictionary decides which of equal probabilities wins.
  const order = classes.names.map((name) => placeOf(categories, name));
  const probabilities = order.every((place, index) => place === index) ? own : own.selectColumns(order);
  return { kind: 'classification' as const, classes: classes.names, probabilities, label: mostProbable(probabilities) };
}

/** Converts a score of each class to probabilities, for a target without order. */
function categorical(
  scores: Flow<'vector'>,
  method: (typeof methods)[number],
  classes: number,
  element: Element,
): Flow<'vector'> {
  if (method === 'softmax') return scores.softmax();
  if (method === 'simplemax') return scores.arithmetic('divide', total(scores));
  if (method === 'exp') throw unsupported(element.at, 'normalizationMethod="exp" for classes');
  const all = Array.from({ length: classes - 1 }, (_, index) => index);
  if (method === 'none') return withRest(scores.selectColumns(all));
  if (classes > 2) throw unsupported(element.at, `normalizationMethod="${method}" for ${classes} classes`);
  return withRest(link(method, scores.selectColumns(all)) as Flow<'vector'>);
}

/**
 * Converts scores to probabilities of ordered classes: the link of score i is the sum up to class
 * i.
 */
function ordinal(scores: Flow<'vector'>, method: (typeof methods)[number], element: Element): Flow<'vector'> {
  if (method === 'softmax' || method === 'simplemax' || method === 'exp')
    throw unsupported(element.at, `normalizationMethod="${method}" for an ordinal target`);
  const count = element.all('RegressionTable').length - 1;
  const upTo = scores.selectColumns(columns(0, count));
  return shares((method === 'none' ? upTo : link(method as LinkName, upTo)) as Flow<'vector'>);
}

const columns = (first: number, end: number) => Array.from({ length: end - first }, (_, index) => first + index);

/**
 * Returns the probability of each ordered class, from the probabilities up to each class but the
 * last.
 */
export function shares(upTo: Flow<'vector'>): Flow<'vector'> {
  const count = sizeOf(upTo.type);
  const first = upTo.selectColumns([0]);
  const rest = constantFlow(first, 1).arithmetic('subtract', upTo.selectColumns([count - 1]));
  if (count === 1) return first.concat(rest);
  const later = upTo.selectColumns(columns(1, count));
  return first.concat(later.arithmetic('subtract', upTo.selectColumns(columns(0, count - 1))), rest);
}

const total = (flow: Flow<'vector'>): Flow<'vector'> => flow.reduce('sum').asVector() as Flow<'vector'>;

/** Appends the probability that is left for the last class. */
function withRest(probabilities: Flow<'vector'>): Flow<'vector'> {
  return probabilities.concat(total(probabilities).arithmetic('subtract', 1, 'right').map('negate'));
}

/** Returns the sum of the terms of each table. */
function sums(use: ModelUse, tables: readonly Element[]): Flow<'vector'> {
  const terms = new LinearTerms(use, tables.length, 'zero');
  tables.forEach((table, index) => readTable(use, terms, table, index));
  return terms.sums();
}

function readTable(use: ModelUse, terms: LinearTerms, table: Element, index: number): void {
  terms.addConstant(index, table.number('intercept', 0));
  for (const term of table.children) {
    const weight = term.number('coefficient');
    if (term.name === 'NumericPredictor') {
      const name = term.required('name');
      terms.addProduct([{ name, exponent: term.number('exponent', 1) }], index, weight, term.at);
    } else if (term.name === 'CategoricalPredictor') {
      terms.addCategory(term.required('name'), term.required('value'), index, weight, term.at);
    } else if (term.name === 'PredictorTerm') {
      const factors = term.all('FieldRef').map((one) => ({ name: one.required('field'), exponent: 1 }));
      if (factors.length === 0) throw damaged(term.at, 'a FieldRef', 'none');
      terms.addProduct(factors, index, weight, term.at);
    } else throw unsupported(term.at, term.name);
  }
  use.context.budget.node(table.at);
}
