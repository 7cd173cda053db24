import type { Block } from './blocks.js';
import type { ReferenceCall } from './reference-kernel.js';
import type { TensorKernels } from './tensor-kernels.js';

// How a raw score is divided among the values of one row. An operator that can divide the shares of
// its result among its inputs declares `ContributionRules` next to its reference kernel.

/**
 * The shares of a vector of numbers. `entries` maps the index of a number to its share. The number
 * `x` contributes `slope * x + constant`. Numbers without an entry contribute 0.
 */
export interface NumberShares {
  readonly kind: 'numbers';
  readonly entries: ReadonlyMap<number, NumberShare>;
  /**
   * True if the score does not depend linearly on these numbers, for example because trees read
   * them. `constant` is then the whole contribution of a number, and the operator that computed the
   * number cannot divide it among its inputs.
   */
  readonly isFixed: boolean;
}

export interface NumberShare {
  readonly slope: number;
  readonly constant: number;
}

/** The shares of a text or of tokens: the passages that contribute to the score. */
export interface TextShares {
  readonly kind: 'texts';
  readonly passages: readonly Passage[];
}

/** An n-gram or a category that was found in a text. */
export interface Passage {
  /** The text of the n-gram or the category, as the model contains it. */
  readonly feature: string;
  readonly contribution: number;
  /** Where the feature was found. Empty if the model counts the feature's absence. */
  readonly spans: readonly TextSpan[];
}

/** A part of the texts or tokens of a row. It includes `start` and excludes `end`. */
export interface TextSpan {
  readonly start: TextPosition;
  readonly end: TextPosition;
}

/** A position in a text or token, between two UTF-16 units. */
export interface TextPosition {
  /** The index of the text in a vector of texts, or the index of the token. Otherwise 0. */
  readonly element: number;
  /** Number of UTF-16 units before the position. */
  readonly unit: number;
}

export type Shares = NumberShares | TextShares;

/** One use of an operator on one row, with its result. */
export interface ResultCall extends ReferenceCall {
  readonly result: Block;
}

/**
 * The arguments of `ContributionRules.carry`, which divides the shares of a result among the
 * inputs.
 */
export interface CarryCall extends ResultCall {
  /** The shares of the operator's result, which `carry` divides among the inputs. */
  readonly shares: Shares;
  /** Kernels of the addon that speed up the division. They compute the same bits as JavaScript. */
  readonly kernels?: TensorKernels | undefined;
  /**
   * The background rows to which the row is compared. The contribution of a number is then relative
   * to the background. Undefined for an explanation without a background.
   */
  readonly background?: BackgroundUse | undefined;
}

/** One use of an operator on the background rows of an explanation. */
export interface BackgroundUse {
  /** The number of background rows. */
  readonly rows: number;
  /** The inputs of the operator. Each block contains all background rows. */
  readonly inputs: readonly Block[];
  /**
   * Returns the mean of each number of an input over the background rows. The key is the index of
   * the number. A sparse number without an entry is 0 in all rows.
   */
  means(input: number): ReadonlyMap<number, number>;
}

/**
 * The shares of an operator's inputs, which the operator has computed from the shares of its
 * result.
 */
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
   * `size`: the division would take too long. `background`: the division would take too long with
   * this number of background rows. `places`: the n-grams of a text have too many places.
   */
  readonly cannot: 'covers' | 'size' | 'background' | 'places';
  readonly received: string;
}

/** How the numbers in the input of an operator interact, for one score and one row. */
export interface ColumnInteractions {
  /** The indices of the numbers in the operator's input that may interact. */
  readonly columns: Int32Array;
  /**
   * A symmetric matrix in row-major order, with a row and a column for each entry of `columns`. An
   * interaction of two numbers is divided equally between their two cells. The diagonal is 0.
   */
  readonly values: Float64Array;
}

/**
 * The arguments of `ContributionRules.link`: the use of an operator, and one element of its result.
 */
export interface LinkCall extends ResultCall {
  readonly element: number;
}

/**
 * One element of an operator's input, from which the operator computes one element of its result.
 */
export interface LinkStep {
  /** Index of the element in the operator's only input. */
  readonly element: number;
  /**
   * -1 if the element of the result decreases when the element of the input increases, otherwise 1.
   */
  readonly sign: 1 | -1;
  /** The usual name of the link function: `logit`, `softmax`, `log`. */
  readonly name?: string;
  /**
   * True for an operator that may come after a link function, such as the complement of a
   * probability. If the input of the operator comes from a link function, the operator belongs to
   * this link function. Otherwise the operator belongs to the score.
   */
  readonly isLoose?: true;
}

/**
 * The functions that divide the score of an answer among the inputs of an operator. Each call is
 * about one row, except `carryRows`.
 */
export interface ContributionRules {
  /**
   * Returns the element of the input that alone determines an element of the result. Returns
   * undefined if no such element exists.
   */
  link?(call: LinkCall): LinkStep | undefined;
  /**
   * Divides the shares of an operator's result among its inputs. Returns undefined or `CannotCarry`
   * if the operator cannot divide these shares. `CannotCarry` also has the reason, for the error
   * message.
   */
  carry?(call: CarryCall): Carried | CannotCarry | undefined;
  /**
   * Returns the results of `carry` for several rows, in less time than separate calls. All calls
   * have the same operator and parameters.
   */
  carryRows?(calls: readonly CarryCall[]): readonly (Carried | CannotCarry | undefined)[];
  /**
   * Returns the interactions of the numbers in the operator's only input: the parts of their
   * contributions that two numbers cause together. An operator without this function, such as a
   * linear model, has no interactions. The caller passes only shares that `carry` can divide.
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

/**
 * Adds the shares of one value that several operators use. Each operator has computed shares for
 * its own use of the value.
 */
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

/**
 * Returns a function that maps the index of a number to the number, for a block of one row. Entries
 * of the same column are added.
 */
export function numbersIn(block: Block): (column: number) => number {
  if (block.kind === 'dense') return (column) => Number(block.values[column]);
  if (block.kind !== 'sparse') return () => Number.NaN;
  const entries = new Map<number, number>();
  block.ids.forEach((id, entry) => entries.set(id, (entries.get(id) ?? 0) + block.values[entry]!));
  return (column) => entries.get(column) ?? 0;
}

/**
 * Returns the mean of each number over the rows of a block. The key is the index of the number.
 * Each row is divided by its divisor, if there are divisors.
 */
export function columnMeans(block: Block, divisors?: readonly number[]): ReadonlyMap<number, number> {
  const sums = new Map<number, number>();
  if (block.kind !== 'dense' && block.kind !== 'sparse') return sums;
  const startOf = (row: number) => (block.kind === 'sparse' ? block.offsets[row]! : row * block.size);
  for (let row = 0; row < block.rows; row++) {
    const start = startOf(row);
    for (let at = start; at < startOf(row + 1); at++) {
      const column = block.kind === 'sparse' ? block.ids[at]! : at - start;
      sums.set(column, (sums.get(column) ?? 0) + Number(block.values[at]) / (divisors?.[row] ?? 1));
    }
  }
  for (const [column, sum] of sums) sums.set(column, sum / block.rows);
  return sums;
}
