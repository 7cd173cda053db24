import { sizeOf } from '@brezel/core';
import type { Flow } from '@brezel/flour';
import { damaged } from '../errors.js';
import type { Node, NodeWriter } from '../node.js';

const operations = ['add', 'subtract', 'multiply', 'divide', 'maximum', 'minimum', 'power'] as const;

/**
 * Combines two vectors, or a vector and constants. In float32, a multiplication keeps a sparse
 * vector sparse.
 */
const arithmetic: NodeWriter = (node) => {
  const operation = node.fields.choice('operation', operations);
  const left = node.numbers();
  if (node.inputs > 1) return left.arithmetic(operation, node.numbers(1));
  const operand = node.operand('operand', left);
  const isWeight = node.precision === 'float32' && operation === 'multiply' && typeof operand !== 'number';
  return isWeight ? left.tfIdf({ idf: operand }) : left.arithmetic(operation, operand);
};

/** Multiplies by a matrix with a row for each element of the vector. */
const matmul: NodeWriter = (node) => {
  const vector = node.numbers();
  const size = sizeOf(vector.type);
  const { data, shape } = node.fields.floats('weights');
  if (shape.length !== 2 || shape[0] !== size || shape[1] === 0)
    throw damaged(`${node.fields.at}.weights`, `a matrix with ${size} rows`, `the shape [${shape}]`);
  if (node.precision === 'float64') return vector.matMul({ weights: data });
  return vector.linear({ weights: data, bias: new Float64Array(shape[1]!) });
};

/** Norms below this number count as 1, as in scikit-learn. */
const LEAST_NORM = 10 * Number.EPSILON;
const reductionOfNorm = { l1: 'sumOfAbsolutes', l2: 'length', max: 'max' } as const;

/** Divides a vector by its norm. */
const norm: NodeWriter = (node) => {
  const kind = node.fields.choice('norm', ['l1', 'l2', 'max']);
  const vector = node.numbers();
  if (node.precision === 'float32' && kind !== 'max') return vector.normalize(kind);
  const length = (kind === 'max' ? vector.map('abs') : vector).reduce(reductionOfNorm[kind]).asVector();
  return vector.arithmetic('divide', length.compare('less', LEAST_NORM).where(1, length));
};

/** Returns 1 where a comparison with constants is true, otherwise 0. */
const compare: NodeWriter = (node) => {
  const vector = node.numbers();
  const comparison = node.fields.choice('comparison', ['greater', 'greaterOrEqual']);
  return vector.compare(comparison, node.operand('operand', vector)).cast(node.precision) as Flow;
};

const impute: NodeWriter = (node) => {
  const vector = node.numbers();
  const [missing] = node.fields.floatsOf('missing', 1);
  return vector.impute({ values: node.operand('values', vector), missing: missing! });
};

/** Replaces each number by its bin: the number of edges that are not greater. */
const bin: NodeWriter = (node) => {
  const vector = node.numbers();
  const { data: edges } = node.fields.floats('edges');
  if (sizeOf(vector.type) !== 1) throw damaged(node.fields.at, 'one number', `${sizeOf(vector.type)}`);
  const isOneHot = node.fields.flag('one_hot');
  if (edges.length === 0) return isOneHot ? ones(vector) : vector.arithmetic('multiply', 0);
  const repeated = vector.selectColumns(new Int32Array(edges.length));
  const bins = repeated.compare('greaterOrEqual', edges).cast(node.precision).reduce('sum');
  const all = Array.from({ length: edges.length + 1 }, (_, index) => index);
  return isOneHot ? bins.cast('int64').oneHot({ categories: all }) : bins.asVector();
};

const ones = (vector: Flow<'vector'>): Flow<'vector'> => vector.arithmetic('multiply', 0).arithmetic('add', 1);

/** Returns one product for each term: the product of the columns that the term lists. */
const products: NodeWriter = (node) => {
  const vector = node.numbers();
  const size = sizeOf(vector.type);
  const terms = Array.from(node.fields.list('terms'), (_, term) => node.fields.intRow('terms', term, 0, size - 1));
  if (terms.length === 0) throw damaged(`${node.fields.at}.terms`, 'at least one term', 'none');
  const degree = terms.reduce((most, { length }) => Math.max(most, length), 0);
  node.takeOperators(2 * degree); // a selection and a multiplication for each factor
  // Column `size` contains 1, for terms with fewer columns than the longest term.
  const padded = vector.concat(ones(vector.selectColumns([0])));
  const factor = (position: number) => padded.selectColumns(terms.map((columns) => columns[position] ?? size));
  let result = factor(0);
  for (let position = 1; position < degree; position++) result = result.arithmetic('multiply', factor(position));
  return result;
};

/** Rounds to float32, as scikit-learn does before it walks trees. */
const round32: NodeWriter = (node) => node.numbers().cast('float32').cast(node.precision) as Flow;

/** Replaces each term count by 1 + log(count). */
const sublinear: NodeWriter = (node) => {
  const counts = node.numbers();
  if (node.precision === 'float32') return counts.sublinearTf();
  return counts.compare('greater', 0).where(counts.map('log').arithmetic('add', 1), 0);
};

const concat: NodeWriter = (node) => {
  const [first, ...others] = Array.from({ length: node.inputs }, (_, index) => node.numbers(index));
  if (first === undefined) throw damaged(node.fields.at, 'at least one input', 'none');
  return first.concat(...others);
};

const select: NodeWriter = (node) => {
  const vector = node.numbers();
  return vector.selectColumns(node.columns('columns', vector));
};

const map: NodeWriter = (node) =>
  node.numbers().map(node.fields.choice('function', ['exp', 'sigmoid', 'tanh', 'relu', 'sqrt']));

const reduce: NodeWriter = (node) =>
  node
    .numbers()
    .reduce(node.fields.choice('reduction', ['sum', 'sumOfSquares']))
    .asVector();

const softmax: NodeWriter = (node: Node) => node.numbers().softmax();

export const numberNodes = {
  arithmetic,
  bin,
  compare,
  concat,
  impute,
  map,
  matmul,
  norm,
  products,
  reduce,
  round32,
  select,
  softmax,
  sublinear,
};
