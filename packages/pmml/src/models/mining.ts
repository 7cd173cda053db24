import type { Flow } from '@brezel/flour';
import { converted } from '../context.js';
import { damaged, unsupported } from '../errors.js';
import { Scope } from '../fields/scope.js';
import { Graph, type GraphNode, type Weight } from '../graph.js';
import { arithmetic, asFloat, choose, compare, constantFlow, isPresent } from '../operands.js';
import { predicateOf, writePredicate } from '../predicate.js';
import { MISSING, type Operand, type Value } from '../value.js';
import type { Element } from '../xml/element.js';
import { Classes, mostProbable, placeOf } from './classes.js';
import type { ModelReader, ModelUse } from './model.js';
import type { Classification, Regression, Result } from './result.js';
import { numberLeaves, probabilitiesOf, scoreOf, treeClasses, writeTree } from './tree.js';

const methods = [
  'sum',
  'weightedSum',
  'average',
  'weightedAverage',
  'majorityVote',
  'weightedMajorityVote',
  'max',
  'selectFirst',
  'modelChain',
] as const;
type Method = (typeof methods)[number];

const missingTreatments = ['continue', 'returnMissing', 'skipSegment'] as const;

/** A segment of a mining model. */
interface Segment {
  readonly element: Element;
  readonly model: ModelUse;
  readonly weight: number;
  readonly predicate: Element;
}

/** The elements of a segment that are not its model. */
const notModels: ReadonlySet<string> = new Set([
  'SimplePredicate',
  'CompoundPredicate',
  'SimpleSetPredicate',
  'True',
  'False',
  'VariableWeight',
]);

/**
 * Reads a `MiningModel`.
 * @see Source: PMML 4.4, Multiple Models.
 */
export const mining: ModelReader = (use) => {
  const { element, context } = use;
  converted(context, 'pmml:MiningModel', element.at);
  const segmentation = element.find('Segmentation');
  if (segmentation === undefined) throw unsupported(element.at, 'a MiningModel without Segmentation');
  const method = segmentation.supported('multipleModelMethod', methods, 'sum');
  const elements = segmentation.all('Segment');
  if (elements.length === 0) throw damaged(segmentation.at, 'a Segment', 'none');
  if (method === 'modelChain') return chain(use, elements);
  const segments = elements.map((one) => segmentOf(use, one, use.scope));
  const treatment = segmentation.supported('missingPredictionTreatment', missingTreatments, 'continue');
  if (segmentation.has('missingThreshold') && segmentation.number('missingThreshold') < 1)
    throw unsupported(segmentation.at, 'missingThreshold');
  const isWeighted = method.startsWith('weighted');
  const parts = isWeighted ? segments : segments.map((segment) => ({ ...segment, weight: 1 }));
  if (method === 'selectFirst') return selectFirst(use, parts);
  const isNumber = element.choice('functionName', ['regression', 'classification']) === 'regression';
  const skips = treatment === 'skipSegment';
  if (!isNumber) return combineClasses(use, parts, method, skips || (treatment === 'continue' && isVote(method)));
  if (isVote(method)) throw damaged(segmentation.at, 'a method for numbers', method);
  return combineNumbers(use, parts, method, skips);
};

const isVote = (method: Method): boolean => method === 'majorityVote' || method === 'weightedMajorityVote';

function segmentOf(use: ModelUse, element: Element, scope: Scope): Segment {
  const model = element.children.find(({ name }) => !notModels.has(name));
  if (model === undefined) throw damaged(element.at, 'a model', 'none');
  if (element.find('VariableWeight') !== undefined) throw unsupported(element.at, 'VariableWeight');
  const weight = element.number('weight', 1);
  if (weight < 0) throw damaged(element.at, 'a weight of 0 or more', `${weight}`);
  return { element, model: use.inner(model, scope), weight, predicate: predicateOf(element) };
}

/** Whether a model is a tree without targets, so that several of them become one forest. */
const isPlainTree = ({ model }: Segment): boolean =>
  model.element.name === 'TreeModel' && model.element.find('Targets') === undefined;

/**
 * Writes the trees of all segments to one graph. A segment whose predicate is not true adds
 * nothing.
 */
function writeSegments(
  { context, scope }: ModelUse,
  graph: Graph,
  segments: readonly Segment[],
  write: (segment: Segment) => GraphNode,
): GraphNode[] {
  const nothing = graph.leaf([]);
  return segments.map((segment) =>
    writePredicate({ context, scope, graph }, segment.predicate, {
      yes: write(segment),
      no: nothing,
      unknown: nothing,
    }),
  );
}

const isAlways = ({ predicate }: Segment): boolean => predicate.name === 'True';

/** Combines the predictions of models that predict numbers. */
function combineNumbers(use: ModelUse, segments: readonly Segment[], method: Method, skips: boolean): Regression {
  const wrong = segments.find(({ model }) => model.element.get('functionName') === 'classification');
  if (wrong !== undefined) throw damaged(wrong.element.at, 'a regression model', 'a classification model');
  if (method === 'max') return { kind: 'regression', value: greatest(use, segments, skips) };
  const [sum, count] = segments.every(isPlainTree)
    ? forestSums(use, segments, skips)
    : separateSums(use, segments, skips);
  const isMean = method === 'average' || method === 'weightedAverage';
  const value = isMean ? arithmetic('divide', sum, count) : choose(compare('greater', count, 0), sum, MISSING);
  return { kind: 'regression', value };
}

/** Returns the weighted sum of the predictions, and the sum of the weights, from one forest. */
function forestSums(use: ModelUse, segments: readonly Segment[], skips: boolean): [Operand, Operand] {
  const { context } = use;
  const graph = new Graph(context.budget);
  const isFixed = segments.every(isAlways) && !skips;
  const roots = writeSegments(use, graph, segments, ({ model, weight }) =>
    writeTree(model, graph, {
      score: (node) => {
        const [[, value]] = numberLeaves.score(node) as [Weight];
        const sum: Weight = [0, weight * value];
        return isFixed ? [sum] : [sum, [1, weight]];
      },
      missing: skips ? [] : numberLeaves.missing,
    }),
  );
  if (!isFixed) {
    const answer = graph.run(roots, [0, 0], context.any);
    return [answer.selectColumns([0]), answer.selectColumns([1])];
  }
  return [graph.run(roots, [0], context.any), segments.reduce((total, { weight }) => total + weight, 0)];
}

/** Returns the prediction of a segment, and whether its predicate is true, as 0 or 1. */
function separate(use: ModelUse, segment: Segment): { readonly value: Operand; readonly active: Operand } {
  const result = segment.model.convert(segment.model);
  if (result.kind !== 'regression') throw damaged(segment.element.at, 'a regression model', result.kind);
  return { value: result.value, active: activeOf(use, segment) };
}

function activeOf(use: ModelUse, { predicate, element }: Segment): Operand {
  const { context, scope } = use;
  if (predicate.name === 'True' || predicate.name === 'False') return predicate.name === 'True' ? 1 : 0;
  context.budget.node(element.at);
  const graph = new Graph(context.budget);
  const [yes, no] = [graph.leaf([[0, 1]]), graph.leaf([])];
  return graph.run([writePredicate({ context, scope, graph }, predicate, { yes, no, unknown: no })], [0], context.any);
}

function separateSums(use: ModelUse, segments: readonly Segment[], skips: boolean): [Operand, Operand] {
  let [sum, count]: [Operand, Operand] = [0, 0];
  for (const segment of segments) {
    const { value, active } = separate(use, segment);
    const isUsed = skips ? choose(isPresent(value), active, 0) : active;
    const { weight } = segment;
    sum = arithmetic('add', sum, choose(compare('equal', isUsed, 1), arithmetic('multiply', value, weight), 0));
    count = arithmetic('add', count, arithmetic('multiply', isUsed, weight));
  }
  return [sum, count];
}

/** Returns the greatest prediction. */
function greatest(use: ModelUse, segments: readonly Segment[], skips: boolean): Operand {
  let best: Operand = Number.NEGATIVE_INFINITY;
  for (const segment of segments) {
    const { value, active } = separate(use, segment);
    const isUsed = skips ? choose(isPresent(value), active, 0) : active;
    best = choose(compare('equal', isUsed, 1), arithmetic('maximum', best, value), best);
  }
  return choose(compare('equal', best, Number.NEGATIVE_INFINITY), MISSING, best);
}

/** Combines the predictions of models that predict classes, to a probability of each class. */
function combineClasses(use: ModelUse, segments: readonly Segment[], method: Method, skips: boolean): Classification {
  if (method === 'max' || method === 'sum' || method === 'weightedSum')
    throw unsupported(use.element.at, `multipleModelMethod="${method}" for classes`);
  const sums = segments.every(isPlainTree)
    ? forestVotes(use, segments, method, skips)
    : separateVotes(use, segments, method, skips);
  const { classes, votes } = sums;
  const total = votes.reduce('sum').asVector() as Flow<'vector'>;
  const probabilities = votes.arithmetic('divide', total);
  return { kind: 'classification', classes: classes.names, probabilities, label: mostProbable(probabilities) };
}

interface Votes {
  readonly classes: Classes;
  /** float64[classes] */
  readonly votes: Flow<'vector'>;
}

/** Returns the sum of the votes or probabilities of trees, from one forest. */
function forestVotes(use: ModelUse, segments: readonly Segment[], method: Method, skips: boolean): Votes {
  const { context } = use;
  const classes = treeClasses(
    use,
    segments.map(({ model }) => model.element.child('Node')),
  );
  const missing = Array.from({ length: classes.size }, (_, target) => [target, MISSING] as const);
  const graph = new Graph(context.budget);
  const roots = writeSegments(use, graph, segments, ({ model, weight }) =>
    writeTree(model, graph, {
      score: (node) => {
        const probabilities = probabilitiesOf(node, classes);
        const votes: readonly Weight[] = isVote(method) ? [[scoreOf(node, classes, probabilities), 1]] : probabilities;
        return votes.map(([target, vote]) => [target, vote * weight]);
      },
      missing: skips ? [] : missing,
    }),
  );
  return { classes, votes: graph.run(roots, new Array(classes.size).fill(0), context.any) };
}

/** Returns the sum of the votes or probabilities of models of any kind. */
function separateVotes(use: ModelUse, segments: readonly Segment[], method: Method, skips: boolean): Votes {
  const results = segments.map((segment) => {
    const result = segment.model.convert(segment.model);
    if (result.kind !== 'classification') throw damaged(segment.element.at, 'a classification model', result.kind);
    return { segment, result };
  });
  const listed = use.target === undefined ? undefined : use.dictionary.get(use.target)?.valid;
  const classes = new Classes([...(listed ?? []), ...results.flatMap(({ result }) => result.classes)]);
  let votes: Flow<'vector'> | undefined;
  for (const { segment, result } of results) {
    use.context.budget.node(segment.element.at);
    const shares = isVote(method) ? oneVote(result) : result.probabilities;
    const own = inOrder(shares, result.classes, classes);
    const active = activeOf(use, segment);
    const isUsed = skips ? choose(isPresent(result.label), active, 0) : active;
    const used = chooseVector(isUsed, own).arithmetic('multiply', segment.weight);
    votes = votes === undefined ? used : votes.arithmetic('add', used);
  }
  return { classes, votes: votes! };
}

/** Returns 1 for the predicted class, and 0 for all others. */
function oneVote({ label, classes }: Classification): Flow<'vector'> {
  const places = classes.map((_, place) => place);
  const votes = label.selectColumns(new Int32Array(classes.length)).compare('equal', places);
  const shares = asFloat(votes);
  return shares.arithmetic('add', label.arithmetic('multiply', 0));
}

/** Returns the vector if `active` is 1, otherwise zeros. */
function chooseVector(active: Operand, vector: Flow<'vector'>): Flow<'vector'> {
  if (typeof active === 'number') return active === 1 ? vector : vector.compare('less', vector).where(vector, 0);
  return active.compare('equal', 1).where(vector, 0);
}

/** Moves the columns of a model's classes to the places of all classes. */
function inOrder(shares: Flow<'vector'>, own: readonly string[], all: Classes): Flow<'vector'> {
  if (own.length === all.size && own.every((name, place) => all.names[place] === name)) return shares;
  const zero = constantFlow(shares, 0);
  const places = all.names.map((name) => placeOf(own, name));
  return shares.concat(zero).selectColumns(places.map((place) => (place < 0 ? own.length : place)));
}

/** Returns the prediction of the first segment whose predicate is true. */
function selectFirst(use: ModelUse, segments: readonly Segment[]): Result {
  const { context, scope } = use;
  if (use.element.get('functionName') === 'regression' && segments.every(isPlainTree)) {
    const graph = new Graph(context.budget);
    let next = graph.leaf(numberLeaves.missing);
    for (const { model, predicate } of segments.toReversed()) {
      const yes = writeTree(model, graph, numberLeaves);
      next = writePredicate({ context, scope, graph }, predicate, { yes, no: next, unknown: next });
    }
    return { kind: 'regression', value: graph.run([next], [0], context.any) };
  }
  const parts = segments.map((segment) => ({
    active: activeOf(use, segment),
    result: segment.model.convert(segment.model),
  }));
  if (parts.every(({ result }) => result.kind === 'regression')) {
    const value = parts.reduceRight(
      (next: Operand, { active, result }) => choose(compare('equal', active, 1), (result as Regression).value, next),
      MISSING,
    );
    return { kind: 'regression', value };
  }
  const wrong = parts.findIndex(({ result }) => result.kind !== 'classification');
  if (wrong >= 0) throw damaged(segments[wrong]!.element.at, 'models of one kind', 'a regression model');
  const results = parts.map(({ active, result }) => ({ active, result: result as Classification }));
  const listed = use.target === undefined ? undefined : use.dictionary.get(use.target)?.valid;
  const classes = new Classes([...(listed ?? []), ...results.flatMap(({ result }) => result.classes)]);
  let probabilities = constantFlow(context.any, MISSING).selectColumns(new Int32Array(classes.size));
  let label: Operand = MISSING;
  for (const { active, result } of results.toReversed()) {
    const own = inOrder(result.probabilities, result.classes, classes);
    const places = result.classes.map((name) => placeOf(classes.names, name));
    const ownLabel = relabeled(result.label, places);
    const chosen = compare('equal', active, 1);
    label = choose(chosen, ownLabel, label);
    probabilities = typeof chosen === 'boolean' ? (chosen ? own : probabilities) : chosen.where(own, probabilities);
  }
  if (typeof label === 'number') label = constantFlow(context.any, MISSING);
  return { kind: 'classification', classes: classes.names, probabilities, label };
}

/** Replaces the index of a class of one model by its index among all classes. */
function relabeled(label: Flow<'vector'>, places: readonly number[]): Flow<'vector'> {
  if (places.every((place, index) => place === index)) return label;
  const flags = label.selectColumns(new Int32Array(places.length)).compare(
    'equal',
    places.map((_, index) => index),
  );
  const sum = asFloat(flags).matMul({ weights: Float64Array.from(places) });
  return sum.arithmetic('add', label.arithmetic('multiply', 0));
}

/**
 * Runs the models one after the other. A model can read the outputs of the earlier ones. The last
 * model whose predicate is true has the result. The outputs of the other models are missing.
 */
function chain(use: ModelUse, elements: readonly Element[]): Result {
  const scope = new Scope(use.context.budget, use.scope);
  const kind = use.element.choice('functionName', ['regression', 'classification']);
  let last: Result | undefined;
  for (const element of elements) {
    const segment = segmentOf(use, element, scope);
    const result = segment.model.convert(segment.model);
    const active = activeOf({ ...use, scope }, segment);
    use.outputs(segment.model, result, (name, convert) => scope.define(name, () => onlyIf(active, convert())));
    if (result.kind === kind) last = lastOf(last, active, result, element);
  }
  if (last === undefined) throw damaged(use.element.at, `a ${kind} model`, 'none');
  return last;
}

/** Makes a value missing unless the predicate of its segment is true. */
const onlyIf = (active: Operand, value: Value): Value => ({
  ...value,
  operand: choose(compare('equal', active, 1), value.operand, MISSING),
});

function lastOf(earlier: Result | undefined, active: Operand, result: Result, element: Element): Result {
  if (active === 1) return result;
  if (result.kind === 'classification' || earlier?.kind === 'classification')
    throw unsupported(element.at, 'the predicate of a classification in a modelChain');
  const otherwise = earlier?.value ?? MISSING;
  return { kind: 'regression', value: choose(compare('equal', active, 1), result.value, otherwise) };
}
