import { type BackgroundUse, type Block, columnMeans, type Row } from '@brezel/core';
import { RuntimeError, runtimeError } from '../../errors.js';
import type { ServedPlan } from '../../plans/registered-plan.js';
import { viewRow } from '../block-rows.js';
import { CopiedRows } from '../rows/copied-rows.js';
import { describe } from '../rows/elements.js';
import { inputBlock } from '../rows/input-blocks.js';
import { admit } from '../rows/row-schema.js';
import type { ScoreTarget } from './answer-target.js';
import { type ComputedValues, numberAt, type PlanNode, type PlanValues } from './plan-values.js';

/** The option of explanations with which the explained row is compared to a background. */
export interface BackgroundOptions {
  /**
   * The rows to which the explained row is compared, 1 to 10 000: for example a sample of the
   * training rows. The base is then the mean score of these rows. Forests are explained with
   * interventional TreeSHAP. Default: no background; forests are then compared with the covers of
   * their nodes, and numbers of linear models with 0.
   */
  readonly background?: readonly Row[] | undefined;
}

const MOST_ROWS = 10_000;

/** Checked copies of the background rows of a call: a block for each input of the plan. */
export interface BackgroundRows {
  readonly rows: number;
  readonly blocks: readonly Block[];
}

/**
 * Copies and checks the background rows of a call. Returns undefined without a background.
 * @throws ERR_RUNTIME_OPTION; ERR_RUNTIME_INPUT for a row that does not match the schema
 */
export function backgroundRows(plan: ServedPlan, { background }: BackgroundOptions): BackgroundRows | undefined {
  if (background === undefined) return undefined;
  if (!Array.isArray(background) || background.length === 0 || background.length > MOST_ROWS)
    throw runtimeError('ERR_RUNTIME_OPTION', {
      expected: `an array of 1 to ${MOST_ROWS} rows`,
      received: Array.isArray(background) ? `${background.length} rows` : describe(background),
      at: 'background',
      hint: 'pass a sample of the training rows, for example 100 rows',
    });
  try {
    const copies = new CopiedRows(background as readonly Row[]);
    const rows = copies.length;
    const columns = admit(plan, copies.slice(0, rows));
    const blocks = plan.inputs.map((port, at) => inputBlock(port, columns[at]!, rows, plan.maxInputBytes));
    return { rows, blocks };
  } catch (error) {
    throw inBackground(error);
  }
}

/** Adds to an error that its row is a row of the background, and not a row of the request. */
function inBackground(error: unknown): unknown {
  if (!(error instanceof RuntimeError && error.code === 'ERR_RUNTIME_INPUT')) return error;
  const { row: _, at, ...details } = error.details;
  return runtimeError('ERR_RUNTIME_INPUT', { ...details, at: `background, ${at}` });
}

/** The values of a plan for the background rows of an explanation. */
export class Background {
  readonly #values: ComputedValues;
  readonly #given: BackgroundRows;
  /** The number of the value from which the explained output is read. */
  readonly #output: number;
  readonly #uses = new Map<PlanNode, BackgroundUse>();
  /**
   * Means over the background rows. The outer key is the number of a value in the plan, and the
   * inner key is the index of an element in this value.
   */
  readonly #means = new Map<number, ReadonlyMap<number, number>>();

  constructor(plan: PlanValues, given: BackgroundRows, output: number) {
    this.#given = given;
    this.#output = output;
    try {
      this.#values = plan.run(given.blocks, { rows: given.rows, first: 0 }, output);
    } catch (error) {
      throw inBackground(error);
    }
  }

  /** Returns whether this background has the same rows and values. */
  isFor(given: BackgroundRows, output: number): boolean {
    if (output !== this.#output) return false;
    return given === this.#given || given.blocks.every((block, at) => areSame(block, this.#given.blocks[at]!));
  }

  /** Returns the use of an operator on the background rows. Each call returns the same object. */
  use(node: PlanNode): BackgroundUse {
    let use = this.#uses.get(node);
    if (use === undefined) {
      use = useOf(
        this.#values.rows,
        node.inputs.map((input) => this.#values.blocks.get(input)!),
      );
      this.#uses.set(node, use);
    }
    return use;
  }

  /** The number of background rows. */
  get rows(): number {
    return this.#given.rows;
  }

  /** Returns the inputs of one background row. */
  row(index: number): readonly Block[] {
    return this.#given.blocks.map((block) => viewRow(block, index));
  }

  /** Returns the score of one background row. */
  scoreOf(target: ScoreTarget, row: number): number {
    return numberAt(this.#values, row, target);
  }

  /** Returns the mean of a score over the background rows. */
  meanOf({ value, element }: ScoreTarget): number {
    const means = this.#means.get(value) ?? columnMeans(this.#values.blocks.get(value)!);
    this.#means.set(value, means);
    return means.get(element) ?? 0;
  }
}

/** The last background of each plan. */
const known = new WeakMap<PlanValues, Background>();

/**
 * Returns the values of a plan for background rows. It caches the last background, because callers
 * often explain one row after another with the same background.
 */
export function backgroundOf(plan: PlanValues, rows: BackgroundRows, output: number): Background {
  let background = known.get(plan);
  if (background?.isFor(rows, output) !== true) {
    background = new Background(plan, rows, output);
    known.set(plan, background);
  }
  return background;
}

function useOf(rows: number, inputs: readonly Block[]): BackgroundUse {
  const known: ReadonlyMap<number, number>[] = [];
  return { rows, inputs, means: (input) => (known[input] ??= columnMeans(inputs[input]!)) };
}

/**
 * Returns whether two blocks of one input have the same bits. Returns false for dictionaries, which
 * are not compared.
 */
function areSame(one: Block, other: Block): boolean {
  if (one.rows !== other.rows) return false;
  if (one.kind === 'strings' && other.kind === 'strings')
    return one.values.every((value, at) => value === other.values[at]);
  if (one.kind === 'dense' && other.kind === 'dense')
    return Buffer.compare(bytesOf(one.values), bytesOf(other.values)) === 0;
  return false;
}

const bytesOf = ({ buffer, byteOffset, byteLength }: ArrayBufferView) => Buffer.from(buffer, byteOffset, byteLength);
