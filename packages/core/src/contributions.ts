import type { Block } from './blocks.js';
import type { ReferenceCall } from './reference-kernel.js';
import type { TensorKernels } from './tensor-kernels.js';

// How a raw score is divided among the values of one row. An operator that can pass the shares of
// its result on to its inputs declares it next to its reference kernel.

/**
 * The shares of numbers. The contribution of the number `x` in a column is `slope * x + constant`.
 * Columns without an entry contribute 0.
 */
export interface NumberShares {
  readonly kind: 'numbers';
  readonly entries: ReadonlyMap<number, NumberShare>;
  /**
   * True if an operator that is not affine computed the score from these numbers. Each constant is
   * then the whole contribution of a number, and no operator can divide it further.
   */
  readonly isFixed: boolean;
}

export interface NumberShare {
  readonly slope: number;
  readonly constant: number;
}

/** The shares of texts or tokens: the passages that contribute to the score. */
export interface TextShares {
  readonly kind: 'texts';
  readonly passages: readonly Passage[];
}

/** An n-gram or a category that was found in a text. */
export interface Passage {
  /** The n-grams or the category, in the form that the model contains. */
  readonly feature: string;
  readonly contribution: number;
  /** Where the feature was found. Empty if the model counts the feature's absence. */
  readonly spans: readonly TextSpan[];
}

/** A part of a row's texts or tokens, from `start` up to but not including `end`. */
export interface TextSpan {
  readonly start: TextPosition;
  readonly end: TextPosition;
}

/** A position between two UTF-16 units of a text or token. */
export interface TextPosition {
  /**
   * For a vector of texts, the index of the text. For tokens, the index of the token. Otherwise 0.
   */
  readonly element: number;
  /** Number of UTF-16 units before the position. */
  readonly unit: number;
}

export type Shares = NumberShares | TextShares;

/** One use of an operator on one row, with its result. */
export interface ResultCall extends ReferenceCall {
  readonly result: Block;
}

/** The arguments of `ContributionRules.carry`. */
export interface CarryCall extends ResultCall {
  /** The shares of the result. */
  readonly shares: Shares;
  /** The kernels of the addon. They compute the same bits as the rules without them. */
  readonly kernels?: TensorKernels | undefined;
}

/** The shares of an operator's inputs, after the operator has divided the shares of its result. */
export interface Carried {
  /** The shares of each input. Undefined for an input that contributes nothing. */
  readonly inputs: readonly (Shares | undefined)[];
  /** The part of the score that does not depend on any input, such as a bias. Default 0. */
  readonly base?: number;
}

/** Why an operator cannot divide the shares of its result. */
export interface CannotCarry {
  /**
   * `covers`: the forest does not contain the numbers of training rows that reached its nodes.
   * `size`: the division would take too long.
   */
  readonly cannot: 'covers' | 'size';
  readonly received: string;
}

/** How the numbers of an operator's input interact in one score of one row. */
export interface ColumnInteractions {
  /** The columns of the input that may interact. */
  readonly columns: Int32Array;
  /**
   * The interaction of each pair of columns, row by row: a symmetric matrix. Each pair occurs
   * twice, with half of its interaction. The diagonal is 0.
   */
  readonly values: Float64Array;
}

/** The arguments of `ContributionRules.link`: one element of the result. */
export interface LinkCall extends ResultCall {
  readonly element: number;
}

/** The number from which an operator computes an element of its result. */
export interface LinkStep {
  /** Index of the element in the operator's only input. */
  readonly element: number;
  /** -1 if the element becomes smaller when the number becomes larger. */
  readonly sign: 1 | -1;
  /** The usual name of the link function: `logit`, `softmax`, `log`. */
  readonly name?: string;
  /**
   * True for operators that follow a link function, such as the complement or the normalization of
   * a probability. If a link function computes the operator's input, the operator is treated as a
   * part of this link function. Otherwise it is treated as a part of the score.
   */
  readonly isLoose?: true;
}

/** The functions with which an operator explains its result. Each function sees one row. */
export interface ContributionRules {
  /** Returns the number that determines an element of the result; undefined if there is none. */
  link?(call: LinkCall): LinkStep | undefined;
  /**
   * Divides the shares of the result among the inputs. Returns undefined if the operator cannot
   * divide these shares.
   */
  carry?(call: CarryCall): Carried | CannotCarry | undefined;
  /**
   * Divides the shares of several rows. It returns the results of `carry` for each row, in less
   * time. All calls have the same operator and parameters.
   */
  carryRows?(calls: readonly CarryCall[]): readonly (Carried | CannotCarry | undefined)[];
  /**
   * Returns the interactions of the numbers of the only input: the parts of their contributions
   * that no single number causes. An operator without this function, such as a linear model, has no
   * interactions. The call has shares that `carry` can divide.
   */
  interactions?(call: CarryCall): ColumnInteractions | CannotCarry;
}

/** Returns the shares of several numbers. Omits numbers that contribute nothing. */
export function numberShares(
  entries: Iterable<readonly [column: number, share: NumberShare]>,
  isFixed: boolean,
): NumberShares {
  const kept = new Map<number, NumberShare>();
  for (const [column, share] of entries) if (share.slope !== 0 || share.constant !== 0) kept.set(column, share);
  return { kind: 'numbers', entries: kept, isFixed };
}

/** Adds the shares that several operators give to one value. */
export function addShares(shares: readonly Shares[]): Shares {
  const [first] = shares;
  if (shares.length === 1) return first!;
  if (first!.kind === 'texts')
    return { kind: 'texts', passages: (shares as readonly TextShares[]).flatMap(({ passages }) => passages) };
  const entries = new Map<number, NumberShare>();
  for (const { entries: added } of shares as readonly NumberShares[])
    for (const [column, { slope, constant }] of added) {
      const before = entries.get(column) ?? { slope: 0, constant: 0 };
      entries.set(column, { slope: before.slope + slope, constant: before.constant + constant });
    }
  return { kind: 'numbers', entries, isFixed: (shares as readonly NumberShares[]).some(({ isFixed }) => isFixed) };
}

/** Returns a function that returns the number of a column in the block of one row. */
export function numbersIn(block: Block): (column: number) => number {
  if (block.kind === 'dense') return (column) => Number(block.values[column]);
  if (block.kind !== 'sparse') return () => Number.NaN;
  const entries = new Map(Array.from(block.ids, (id, entry) => [id, block.values[entry]!]));
  return (column) => entries.get(column) ?? 0;
}
