import type { Flow } from '@brezel/flour';
import { converted } from '../context.js';
import { damaged, unsupported } from '../errors.js';
import { arithmetic, booleanOf, choose, compare, isPresent, map } from '../operands.js';
import { constantOf, MISSING, type Operand } from '../value.js';
import type { Element } from '../xml/element.js';
import { Classes, mostProbable } from './classes.js';
import { LinearTerms, type Power } from './linear-terms.js';
import { type LinkName, link, links } from './links.js';
import { listedClasses, type ModelReader, type ModelUse } from './model.js';
import { shares } from './regression.js';
import type { Classification } from './result.js';

const modelTypes = [
  'regression',
  'generalLinear',
  'generalizedLinear',
  'multinomialLogistic',
  'ordinalMultinomial',
] as const;

/**
 * Reads a `GeneralRegressionModel`: a weighted sum of parameters, where each parameter is a product
 * of factors and covariates.
 * @see Source: PMML 4.4, General Regression.
 */
export const generalRegression: ModelReader = (use) => {
  const { element, context } = use;
  converted(context, 'pmml:GeneralRegressionModel', element.at);
  const modelType = element.supported('modelType', modelTypes, 'regression');
  const cells = element.child('ParamMatrix').all('PCell');
  if (element.choice('functionName', ['regression', 'classification']) === 'regression') {
    const sum = withOffset(
      use,
      sumsOf(use, cells, 1, () => [0]),
    );
    const value = modelType === 'generalizedLinear' ? inverseLink(element, sum) : sum;
    return { kind: 'regression', value: withTrials(use, value) };
  }
  const classes = new Classes([...listedClasses(use), ...categoriesOf(cells)]);
  if (classes.size < 2) throw damaged(element.at, 'at least 2 classes', `${classes.size}`);
  if (modelType === 'multinomialLogistic') return multinomial(use, cells, classes);
  return modelType === 'ordinalMultinomial' ? ordinal(use, cells, classes) : binary(use, cells, classes);
};

const categoriesOf = (cells: readonly Element[]): string[] => cells.flatMap((cell) => cell.get('targetCategory') ?? []);

/**
 * Returns the reference class, whose score is always 0: `targetReferenceCategory` if the model has
 * this attribute, otherwise the only class without a PCell.
 */
function referenceOf({ element }: ModelUse, cells: readonly Element[], classes: Classes): number {
  const given = element.get('targetReferenceCategory');
  if (given !== undefined) return classes.place(given, element.at);
  const withCells = new Set(categoriesOf(cells));
  const others = classes.names.filter((name) => !withCells.has(name));
  if (others.length !== 1) throw damaged(element.at, 'one class without a PCell', `${others.length}`);
  return classes.place(others[0]!, element.at);
}

function multinomial(use: ModelUse, cells: readonly Element[], classes: Classes): Classification {
  const reference = referenceOf(use, cells, classes);
  const others = classes.names.map((_, place) => place).filter((place) => place !== reference);
  const scores = sumsOf(use, cells, classes.size, (category, at) =>
    category === undefined ? others : [classes.place(category, at)],
  );
  return classification(classes, (withOffset(use, scores) as Flow<'vector'>).softmax());
}

/** The probability of one class is the inverse link of the sum; the other class has the rest. */
function binary(use: ModelUse, cells: readonly Element[], classes: Classes): Classification {
  const { element } = use;
  if (classes.size !== 2)
    throw unsupported(element.at, `modelType="${element.get('modelType')}" of ${classes.size} classes`);
  const reference = referenceOf(use, cells, classes);
  const probability = inverseLink(
    element,
    withOffset(
      use,
      sumsOf(use, cells, 1, () => [0]),
    ),
  ) as Flow<'vector'>;
  const rest = probability.arithmetic('subtract', 1, 'left');
  return classification(classes, reference === 0 ? rest.concat(probability) : probability.concat(rest));
}

/**
 * The inverse link of the sum of a class is the probability of this class and of those before it.
 */
function ordinal(use: ModelUse, cells: readonly Element[], classes: Classes): Classification {
  const count = classes.size - 1;
  const every = Array.from({ length: count }, (_, place) => place);
  const scores = sumsOf(use, cells, count, (category, at) => {
    if (category === undefined) return every;
    const place = classes.place(category, at);
    if (place === count) throw damaged(at, 'no PCell of the last class', JSON.stringify(category));
    return [place];
  });
  const name = use.element.supported('cumulativeLink', links, 'logit');
  return classification(classes, shares(link(name, withOffset(use, scores) as Flow<'vector'>) as Flow<'vector'>));
}

const classification = (classes: Classes, probabilities: Flow<'vector'>): Classification => ({
  kind: 'classification',
  classes: classes.names,
  probabilities,
  label: mostProbable(probabilities),
});

/** A part of a parameter: a covariate to a power, or a value of a factor. */
interface Part {
  readonly name: string;
  readonly value: string;
  readonly isFactor: boolean;
  readonly at: string;
}

/** Returns the parts of each parameter. */
function partsOf(element: Element): ReadonlyMap<string, readonly Part[]> {
  const listed = (list: string) => {
    const predictors = element.find(list)?.all('Predictor') ?? [];
    const matrix = predictors.find((predictor) => predictor.find('Categories') ?? predictor.find('Matrix'));
    if (matrix !== undefined) throw unsupported(matrix.at, 'a contrast matrix');
    return new Set(predictors.map((predictor) => predictor.required('name')));
  };
  const [factors, covariates] = [listed('FactorList'), listed('CovariateList')];
  const parts = new Map<string, Part[]>();
  for (const parameter of element.child('ParameterList').all('Parameter')) parts.set(parameter.required('name'), []);
  for (const cell of element.find('PPMatrix')?.all('PPCell') ?? []) {
    if (cell.has('targetCategory')) throw unsupported(cell.at, 'targetCategory of a PPCell');
    const name = cell.required('predictorName');
    const own = parts.get(cell.required('parameterName'));
    if (own === undefined || !(factors.has(name) || covariates.has(name)))
      throw damaged(cell.at, 'a parameter and a predictor of the model', name);
    own.push({ name, value: cell.required('value'), isFactor: factors.has(name), at: cell.at });
  }
  return parts;
}

/**
 * Returns the weighted sum of the parameters of each target. `targets` returns the targets of a
 * category.
 */
function sumsOf(
  use: ModelUse,
  cells: readonly Element[],
  count: number,
  targets: (category: string | undefined, at: string) => readonly number[],
): Flow<'vector'> {
  const parameters = partsOf(use.element);
  const terms = new LinearTerms(use, count, 'missing');
  for (const cell of cells) {
    const parts = parameters.get(cell.required('parameterName'));
    if (parts === undefined) throw damaged(cell.at, 'a parameter of the model', cell.required('parameterName'));
    const weight = cell.number('beta');
    const own = targets(cell.get('targetCategory'), cell.at);
    use.context.budget.elements(own.length, cell.at);
    for (const target of own) addParameter(use, terms, parts, target, weight);
  }
  return terms.sums();
}

function addParameter(use: ModelUse, terms: LinearTerms, parts: readonly Part[], target: number, weight: number): void {
  const [first] = parts;
  if (first === undefined) return terms.addConstant(target, weight);
  if (parts.length === 1 && first.isFactor) return terms.addCategory(first.name, first.value, target, weight, first.at);
  const powers = parts.filter(({ isFactor }) => !isFactor).map(powerOf);
  if (powers.length === parts.length) return terms.addProduct(powers, target, weight, first.at);
  const key = JSON.stringify(parts.map(({ name, value, isFactor }) => [name, value, isFactor]));
  terms.addNumber(key, target, weight, first.at, () =>
    parts.map((part) => partValue(use, part)).reduce((product, one) => arithmetic('multiply', product, one)),
  );
}

function powerOf({ name, value, at }: Part): Power {
  const exponent = Number(value);
  if (value.trim() === '' || !Number.isFinite(exponent)) throw damaged(at, 'an exponent', JSON.stringify(value));
  return { name, exponent };
}

/** Returns a covariate to its power, or whether a factor has its value, as 0 or 1. */
function partValue({ scope, context }: ModelUse, part: Part): Operand {
  const value = scope.field(part.name, part.at);
  if (!part.isFactor) {
    if (value.type === 'string') throw damaged(part.at, 'a numeric covariate', 'a string');
    const { exponent } = powerOf(part);
    return exponent === 1 ? value.operand : arithmetic('power', value.operand, exponent);
  }
  const wanted = constantOf(value, part.value, context.names, part.at);
  return choose(isPresent(value.operand), booleanOf(compare('equal', value.operand, wanted)), MISSING);
}

/** Adds the offset of a model. */
function withOffset({ element, scope }: ModelUse, sum: Operand): Operand {
  const name = element.get('offsetVariable');
  const offset = name === undefined ? element.number('offsetValue', 0) : scope.field(name, element.at).operand;
  return offset === 0 ? sum : arithmetic('add', sum, offset);
}

/** Multiplies by the number of trials. */
function withTrials({ element, scope }: ModelUse, value: Operand): Operand {
  const name = element.get('trialsVariable');
  const trials = name === undefined ? element.number('trialsValue', 1) : scope.field(name, element.at).operand;
  return trials === 1 ? value : arithmetic('multiply', value, trials);
}

const linkFunctions = [
  'identity',
  'log',
  'logc',
  'logit',
  'loglog',
  'cloglog',
  'probit',
  'negbin',
  'oddspower',
  'power',
] as const;

/** Applies the inverse of the link function of a generalized linear model. */
function inverseLink(element: Element, sum: Operand): Operand {
  const name = element.supported('linkFunction', linkFunctions, 'identity');
  switch (name) {
    case 'identity':
      return sum;
    case 'log':
      return map('exp', sum);
    case 'logc':
      return arithmetic('subtract', 1, map('exp', sum));
    case 'negbin': {
      const inverse = arithmetic('subtract', map('exp', arithmetic('multiply', sum, -1)), 1);
      return arithmetic('divide', 1, arithmetic('multiply', inverse, element.number('distParameter')));
    }
    case 'power': {
      const exponent = element.number('linkParameter');
      return exponent === 0 ? map('exp', sum) : arithmetic('power', sum, 1 / exponent);
    }
    case 'oddspower': {
      const exponent = element.number('linkParameter');
      if (exponent === 0) return map('sigmoid', sum);
      const base = arithmetic('add', arithmetic('multiply', sum, exponent), 1);
      return arithmetic('divide', 1, arithmetic('add', arithmetic('power', base, -1 / exponent), 1));
    }
    default:
      return link(name satisfies LinkName, sum as Flow<'vector'>);
  }
}
