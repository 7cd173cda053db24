import type { Flow } from '@brezel/flour';
import type { Context } from './context.js';
import { damaged, unsupported } from './errors.js';
import type { Scope } from './fields/scope.js';
import { EQ, type Graph, type GraphNode, GT, GTE, LEQ, LT, NEQ } from './graph.js';
import { constantOf } from './value.js';
import { arrayItems, type Element } from './xml/element.js';

/** The names of the elements that are predicates. */
export const predicateNames: readonly string[] = [
  'SimplePredicate',
  'CompoundPredicate',
  'SimpleSetPredicate',
  'True',
  'False',
];

/** Returns the predicate of a node, a segment or an attribute. */
export const predicateOf = (element: Element): Element => element.one(predicateNames, 'a predicate');

/** The nodes that follow a predicate: one for each of its three results. */
export interface Branches {
  readonly yes: GraphNode;
  readonly no: GraphNode;
  /** Follows if the result depends on a missing value. */
  readonly unknown: GraphNode;
}

/** Where predicates read fields, and the graph that they are written to. */
export interface PredicateUse {
  readonly context: Context;
  readonly scope: Scope;
  readonly graph: Graph;
}

const modes = {
  equal: EQ,
  notEqual: NEQ,
  lessThan: LT,
  lessOrEqual: LEQ,
  greaterThan: GT,
  greaterOrEqual: GTE,
} as const;

/** Writes a predicate to a graph. Returns the first node. */
export function writePredicate(use: PredicateUse, predicate: Element, branches: Branches): GraphNode {
  switch (predicate.name) {
    case 'True':
      return branches.yes;
    case 'False':
      return branches.no;
    case 'SimplePredicate':
      return writeSimple(use, predicate, branches);
    case 'SimpleSetPredicate':
      return writeSet(use, predicate, branches);
    case 'CompoundPredicate':
      return compoundOnce(use, predicate, branches);
    default:
      throw unsupported(predicate.at, predicate.name);
  }
}

function writeSimple({ context, scope, graph }: PredicateUse, predicate: Element, branches: Branches): GraphNode {
  const value = scope.field(predicate.required('field'), predicate.at);
  const operator = predicate.choice('operator', [
    ...(Object.keys(modes) as (keyof typeof modes)[]),
    'isMissing',
    'isNotMissing',
  ]);
  const { yes, no, unknown } = branches;
  if (operator === 'isMissing' || operator === 'isNotMissing') {
    const [missing, present] = operator === 'isMissing' ? [yes, no] : [no, yes];
    if (typeof value.operand === 'number') return Number.isNaN(value.operand) ? missing : present;
    return graph.isMissing(value.operand, missing, present);
  }
  const mode = modes[operator];
  if (value.type === 'string' && mode !== EQ && mode !== NEQ) throw unsupported(predicate.at, `${operator} of strings`);
  const threshold = constantOf(value, predicate.required('value'), context.names, predicate.at);
  const { operand } = value;
  if (typeof operand === 'number') {
    if (Number.isNaN(operand)) return unknown;
    return compareNumbers(operand, mode, threshold) ? yes : no;
  }
  return withMissing(graph, operand, branches, (missing) => graph.compare(operand, mode, threshold, missing, yes, no));
}

function compareNumbers(value: number, mode: number, threshold: number): boolean {
  switch (mode) {
    case LEQ:
      return value <= threshold;
    case LT:
      return value < threshold;
    case GTE:
      return value >= threshold;
    case GT:
      return value > threshold;
    case EQ:
      return value === threshold;
    default:
      return value !== threshold;
  }
}

/**
 * Writes a test with a third branch for missing values. If this branch is one of the other two, the
 * test needs no further node.
 */
function withMissing(
  graph: Graph,
  value: Flow<'vector'>,
  { yes, no, unknown }: Branches,
  test: (missing: boolean) => GraphNode,
): GraphNode {
  if (unknown === no) return test(false);
  return unknown === yes ? test(true) : graph.isMissing(value, unknown, test(false));
}

function writeSet({ context, scope, graph }: PredicateUse, predicate: Element, branches: Branches): GraphNode {
  const value = scope.field(predicate.required('field'), predicate.at);
  const isIn = predicate.choice('booleanOperator', ['isIn', 'isNotIn']) === 'isIn';
  const array = predicate.child('Array');
  const set = arrayItems(array).map((item) => constantOf(value, item, context.names, array.at));
  const targets = isIn ? branches : { yes: branches.no, no: branches.yes, unknown: branches.unknown };
  const { operand } = value;
  if (typeof operand === 'number') {
    if (Number.isNaN(operand)) return branches.unknown;
    return set.includes(operand) ? targets.yes : targets.no;
  }
  return withMissing(graph, operand, targets, (missing) =>
    graph.member(operand, set, missing, targets.yes, targets.no),
  );
}

const operators = ['and', 'or', 'xor', 'surrogate'] as const;

/**
 * Writes a compound predicate once for each combination of branches. Without this, nested
 * predicates would write their parts again at each level.
 */
function compoundOnce(use: PredicateUse, compound: Element, branches: Branches): GraphNode {
  const { yes, no, unknown } = branches;
  if (yes === no && no === unknown) return yes;
  return use.graph.once(compound, `${yes},${no},${unknown}`, () =>
    use.context.budget.nested(compound.at, () => writeCompound(use, compound, branches)),
  );
}

function writeCompound(use: PredicateUse, compound: Element, branches: Branches): GraphNode {
  const operator = compound.choice('booleanOperator', operators);
  const parts = compound.children;
  const wrong = parts.find(({ name }) => !predicateNames.includes(name));
  if (wrong !== undefined) throw unsupported(wrong.at, wrong.name);
  if (parts.length === 0) throw damaged(compound.at, 'predicates', 'none');
  return parts.length === 1 ? writePredicate(use, parts[0]!, branches) : writers[operator](use, parts, branches);
}

type CompoundWriter = (use: PredicateUse, parts: readonly Element[], branches: Branches) => GraphNode;

const sizes = new WeakMap<Element, number>();

/** Returns the number of simple predicates in a predicate. */
function sizeOf(predicate: Element): number {
  let size = sizes.get(predicate);
  if (size === undefined) {
    const isCompound = predicate.name === 'CompoundPredicate';
    size = isCompound ? predicate.children.reduce((sum, part) => sum + sizeOf(part), 0) : 1;
    sizes.set(predicate, size);
  }
  return size;
}

/**
 * Returns the parts in the order in which they are written: the reverse of the order of tests. A
 * part may be written twice, once for each state that the earlier tests can leave. The greatest
 * part is tested first, so that it is written once. The order does not change the result.
 */
const smallestFirst = (parts: readonly Element[]): Element[] =>
  parts.toReversed().sort((a, b) => sizeOf(a) - sizeOf(b));

/**
 * Writes the parts of `and` and `or`. If a part is unknown, the result is unknown, unless another
 * part decides it.
 */
const junction =
  (isAnd: boolean): CompoundWriter =>
  (use, parts, { yes, no, unknown }) => {
    const decided = isAnd ? no : yes;
    // The nodes that follow if all earlier parts have a result, and if one of them is unknown.
    let [known, open] = [isAnd ? yes : no, unknown];
    smallestFirst(parts).forEach((part, index) => {
      const write = (next: GraphNode) =>
        writePredicate(use, part, { yes: isAnd ? next : decided, no: isAnd ? decided : next, unknown: open });
      const isFirstTest = index === parts.length - 1;
      [known, open] = [write(known), isFirstTest ? open : write(open)];
    });
    return known;
  };

const writers: Readonly<Record<(typeof operators)[number], CompoundWriter>> = {
  and: junction(true),
  or: junction(false),
  xor(use, parts, { yes, no, unknown }) {
    // The nodes that follow an odd and an even number of true parts.
    let [odd, even] = [yes, no];
    smallestFirst(parts).forEach((part, index) => {
      const isFirstTest = index === parts.length - 1;
      const whenEven = writePredicate(use, part, { yes: odd, no: even, unknown });
      odd = isFirstTest ? odd : writePredicate(use, part, { yes: even, no: odd, unknown });
      even = whenEven;
    });
    return even;
  },
  surrogate(use, parts, { yes, no, unknown }) {
    return parts.reduceRight((next, part) => writePredicate(use, part, { yes, no, unknown: next }), unknown);
  },
};

/** Returns whether two predicates on one field have opposite results for every value. */
export function areOpposite(first: Element, second: Element): boolean {
  const same = (name: string) => first.get(name) === second.get(name);
  if (first.name !== 'SimplePredicate' || second.name !== 'SimplePredicate' || !same('field') || !same('value'))
    return false;
  return opposites[first.get('operator') ?? ''] === second.get('operator');
}

const opposites: Readonly<Record<string, string>> = {
  equal: 'notEqual',
  notEqual: 'equal',
  lessThan: 'greaterOrEqual',
  greaterOrEqual: 'lessThan',
  lessOrEqual: 'greaterThan',
  greaterThan: 'lessOrEqual',
};
