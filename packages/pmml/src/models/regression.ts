import type { Flow } from '@brezel/flour';
import { converted } from '../context.js';
import { damaged, unsupported } from '../errors.js';
import { Graph } from '../graph.js';
import { arithmetic, constantFlow } from '../operands.js';
import { constantOf, type Operand, type Value } from '../value.js';
import type { Element } from '../xml/element.js';
import { Classes, mostProbable } from './classes.js';
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
  const order = classes.names.map((name) => categories.indexOf(name));
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
  const columns = (first: number, end: number) => Array.from({ length: end - first }, (_, index) => first + index);
  const upTo = scores.selectColumns(columns(0, count));
  const sumsUpTo = (method === 'none' ? upTo : link(method as LinkName, upTo)) as Flow<'vector'>;
  const first = sumsUpTo.selectColumns([0]);
  const one = constantFlow(first, 1);
  if (count === 1) return first.concat(one.arithmetic('subtract', first));
  const differences = sumsUpTo
    .selectColumns(columns(1, count))
    .arithmetic('subtract', sumsUpTo.selectColumns(columns(0, count - 1)));
  return first.concat(differences, one.arithmetic('subtract', sumsUpTo.selectColumns([count - 1])));
}

const total = (flow: Flow<'vector'>): Flow<'vector'> => flow.reduce('sum').asVector() as Flow<'vector'>;

/** Appends the probability that is left for the last class. */
function withRest(probabilities: Flow<'vector'>): Flow<'vector'> {
  return probabilities.concat(total(probabilities).arithmetic('subtract', 1, 'right').map('negate'));
}

/** Returns the sum of the terms of each table. */
function sums(use: ModelUse, tables: readonly Element[]): Flow<'vector'> {
  const terms = new Terms(use, tables.length);
  tables.forEach((table, index) => terms.read(table, index));
  return terms.sums();
}

/** Collects the terms of regression tables: the weight of each number, and of each category. */
class Terms {
  readonly #use: ModelUse;
  readonly #tables: number;
  readonly #intercepts: number[] = [];
  readonly #columns = new Map<string, { readonly flow: Operand; readonly weights: Float64Array }>();
  readonly #categories = new Map<string, { readonly value: Value; readonly weights: Map<number, Float64Array> }>();

  constructor(use: ModelUse, tables: number) {
    this.#use = use;
    this.#tables = tables;
  }

  read(table: Element, index: number): void {
    this.#intercepts.push(table.number('intercept'));
    for (const term of table.children) {
      if (term.name === 'NumericPredictor') this.#readNumber(term, index);
      else if (term.name === 'CategoricalPredictor') this.#readCategory(term, index);
      else if (term.name === 'PredictorTerm') this.#readProduct(term, index);
      else throw unsupported(term.at, term.name);
    }
  }

  #number(name: string, at: string): Operand {
    const { type, operand } = this.#use.scope.field(name, at);
    if (type === 'string') throw damaged(at, 'a numeric field', `${name}, which is a string`);
    return operand;
  }

  #add(key: string, index: number, weight: number, at: string, flow: () => Operand): void {
    let column = this.#columns.get(key);
    if (column === undefined) {
      this.#use.context.budget.node(at);
      this.#use.context.budget.elements(this.#tables, at);
      column = { flow: flow(), weights: new Float64Array(this.#tables) };
      this.#columns.set(key, column);
    }
    column.weights[index]! += weight;
  }

  #readNumber(term: Element, index: number): void {
    const name = term.required('name');
    const exponent = term.number('exponent', 1);
    this.#add(JSON.stringify([name, exponent]), index, term.number('coefficient'), term.at, () => {
      const number = this.#number(name, term.at);
      return exponent === 1 ? number : arithmetic('power', number, exponent);
    });
  }

  #readProduct(term: Element, index: number): void {
    const fields = term.all('FieldRef').map((reference) => reference.required('field'));
    if (fields.length === 0) throw damaged(term.at, 'a FieldRef', 'none');
    this.#add(JSON.stringify(fields), index, term.number('coefficient'), term.at, () =>
      fields
        .map((field) => this.#number(field, term.at))
        .reduce((product, one) => arithmetic('multiply', product, one)),
    );
  }

  #readCategory(term: Element, index: number): void {
    const name = term.required('name');
    let category = this.#categories.get(name);
    if (category === undefined) {
      category = { value: this.#use.scope.field(name, term.at), weights: new Map() };
      this.#categories.set(name, category);
    }
    const { value, weights } = category;
    const key = constantOf(value, term.required('value'), this.#use.context.names, term.at);
    let own = weights.get(key);
    if (own === undefined) {
      this.#use.context.budget.elements(this.#tables, term.at);
      own = new Float64Array(this.#tables);
      weights.set(key, own);
    }
    own[index]! += term.number('coefficient');
  }

  sums(): Flow<'vector'> {
    const intercepts = Float64Array.from(this.#intercepts);
    const flows: Flow<'vector'>[] = [];
    const weights: number[] = [];
    for (const column of this.#columns.values()) {
      if (typeof column.flow === 'number') {
        const constant = column.flow;
        column.weights.forEach((weight, index) => (intercepts[index]! += weight * constant));
      } else {
        flows.push(column.flow);
        weights.push(...column.weights);
      }
    }
    // A missing number makes the sum missing, even with the weight 0.
    const [first, ...others] = flows;
    const numbers = first?.concat(...others).matMul({ weights: Float64Array.from(weights) });
    if (numbers !== undefined && this.#categories.size === 0) return numbers.arithmetic('add', intercepts);
    const base = this.#categorySums(intercepts);
    return numbers === undefined ? base : numbers.arithmetic('add', base);
  }

  /**
   * Returns the intercepts, plus the weights of the categories. A missing category has the weight
   * 0.
   */
  #categorySums(intercepts: Float64Array): Flow<'vector'> {
    const graph = new Graph(this.#use.context.budget);
    const nothing = graph.leaf([]);
    const base = [...intercepts];
    const roots: number[] = [];
    for (const { value, weights } of this.#categories.values()) {
      if (typeof value.operand === 'number') {
        weights.get(value.operand)?.forEach((weight, index) => (base[index]! += weight));
        continue;
      }
      const leaves = [...weights].map(
        ([key, list]) => [key, graph.leaf([...list].map((weight, index) => [index, weight]))] as const,
      );
      roots.push(graph.select(value.operand, new Map(leaves), nothing, nothing));
    }
    return graph.run(roots.length > 0 ? roots : [nothing], base, this.#use.context.any);
  }
}
