import { isDeepStrictEqual } from 'node:util';
import {
  type Block,
  type DenseBlock,
  dense,
  dtypeOf,
  type NumericDType,
  numericArray,
  shapeOf,
  sizeOf,
  strings,
  type ValueType,
} from '@brezel/core';
import { rowBlocks } from '@brezel/runtime';
import type { CompiledPlan, ObjectStore, Program, Row, Runtime } from 'brezel';
import { createRuntime, loadNative, runProgram } from 'brezel';

/** The instruction sets of this machine. Empty if no addon loads. */
export const isas: readonly string[] = loadNative().addon?.isas() ?? [];
if (isas.length === 0) console.warn(`native engines are left out: ${loadNative().error?.message}`);

export type Answers = readonly Readonly<Record<string, unknown>>[];

/**
 * Answers a plan with every engine and verb. All plans use one store; each plan is registered for
 * one call only.
 */
export class Engines {
  readonly native = isas.length > 0;
  readonly #wasm: Runtime;
  readonly #native: ReadonlyMap<string, Runtime>;

  /** @param sets the instruction sets to use. Tests that are not about kernels need only one. */
  constructor(store: ObjectStore, sets: readonly string[] = isas) {
    this.#wasm = createRuntime({ store, native: false });
    this.#native = new Map(sets.map((isa) => [isa, createRuntime({ store, isa })]));
  }

  /** Returns the answers of the slow reference implementations alone. */
  async reference(plan: CompiledPlan, rows: readonly Row[]): Promise<Answers> {
    const registered = this.#wasm.register(plan);
    try {
      return await this.#wasm.predictBatch(registered, rows, { engine: 'reference' });
    } finally {
      this.#wasm.unregister(registered);
    }
  }

  /**
   * Returns the answers by engine and verb, `reference` first. Also returns the engine that ran the
   * plan: `native`, `mixed` or `javascript`; without the addon, `wasm` instead of `native`.
   *
   * @param verbs `batch` omits predictions of single rows, for rows that another call covers.
   */
  async answers(
    plan: CompiledPlan,
    rows: readonly Row[],
    verbs: 'all' | 'batch' = 'all',
  ): Promise<{ engine: string; answers: Map<string, Answers> }> {
    const answers = new Map<string, Answers>();
    let engine = 'javascript';
    for (const [name, runtime] of [['wasm', this.#wasm] as const, ...this.#native]) {
      const registered = runtime.register(plan);
      try {
        engine = registered.engine;
        if (name === 'wasm')
          answers.set('reference', await runtime.predictBatch(registered, rows, { engine: 'reference' }));
        answers.set(`${name}, batch`, await runtime.predictBatch(registered, rows));
        if (verbs === 'batch') continue;
        answers.set(
          `${name}, one by one`,
          rows.map((row) => runtime.predictSync(registered, row)),
        );
        if (engine === 'native' || engine === 'wasm') {
          answers.set(
            `${name}, out-array`,
            rows.map((row) => fromNumbers(plan, runtime.predictSync(registered, row, new Float64Array(plan.width)))),
          );
        }
      } finally {
        runtime.unregister(registered);
      }
    }
    return { engine, answers };
  }
}

/**
 * Returns whether two plans are equal as data: the same stages with the same kernels and
 * parameters. Every engine gives equal answers for them, so a test needs to run only one.
 */
export const isSamePlan = (one: CompiledPlan, other: CompiledPlan): boolean => isDeepStrictEqual(one, other);

/** Converts an out-array to answers, by the outputs of the plan. */
function fromNumbers(plan: CompiledPlan, numbers: Float64Array): Record<string, unknown> {
  return Object.fromEntries(
    plan.outputs.map(({ name, type, offset, length, labels }) => {
      const list = Array.from(numbers.subarray(offset, offset + length), (value) =>
        labels !== undefined ? labels[value] : dtypeOf(type) === 'bool' ? value === 1 : value,
      );
      if (type.kind === 'map') return [name, Object.fromEntries(type.keys.map((key, at) => [key, list[at]]))];
      return [name, shaped(list, type)];
    }),
  );
}

/**
 * Returns the answers of the unoptimized program: its operators run one after another, without
 * Oven.
 */
export function rawAnswers(program: Program, rows: readonly Readonly<Record<string, unknown>>[]): Answers {
  const inputs = program.inputs.map(
    (input) =>
      [
        input.name!,
        blockOf(
          input.type,
          rows.map((row) => row[input.name!]),
        ),
      ] as const,
  );
  const blocks = runProgram(program, Object.fromEntries(inputs));
  return rows.map((_, row) =>
    Object.fromEntries(program.outputs.map(({ name, node }) => [name, valueAt(blocks[name]!, row, node.type)])),
  );
}

function blockOf(type: ValueType, values: readonly unknown[]): Block {
  if (type.kind === 'dictionary')
    return rowBlocks(
      [{ name: 'x', type }],
      values.map((x) => ({ x })),
    )[0]!;
  const size = sizeOf(type);
  const flat = values.flat(Number.POSITIVE_INFINITY as 1) as (string | number)[];
  if (dtypeOf(type) === 'string')
    return strings(
      values.length,
      size,
      (flat as string[]).map((text) => text.toWellFormed()),
    );
  const dtype = dtypeOf(type) as NumericDType;
  const array = numericArray(dtype, flat.length);
  flat.forEach((value, at) => {
    array[at] = (dtype === 'int64' ? BigInt(value) : Number(value)) as never;
  });
  return dense(dtype, values.length, size, array);
}

function valueAt(block: Block, row: number, type: ValueType): unknown {
  if (block.kind === 'tokens') return block.values[row];
  if (block.kind === 'dictionary') return Object.fromEntries(block.values[row]!);
  const list =
    block.kind === 'sparse'
      ? sparseRow(block, row)
      : block.kind === 'strings'
        ? block.values.slice(row * block.size, (row + 1) * block.size)
        : denseRow(block, row);
  if (type.kind === 'map') return Object.fromEntries(type.keys.map((key, at) => [key, list[at]]));
  return shaped(list, type);
}

/**
 * Returns the elements of a row in the form of an answer: a single value, a list, or nested lists.
 */
function shaped(list: readonly unknown[], type: ValueType): unknown {
  const inner = (at: number, shape: readonly number[]): unknown => {
    if (shape.length === 0) return list[at];
    const [size, ...rest] = shape as [number, ...number[]];
    const stride = rest.reduce((product, axis) => product * axis, 1);
    return Array.from({ length: size }, (_, index) => inner(at + index * stride, rest));
  };
  return inner(0, shapeOf(type));
}

function sparseRow(block: Extract<Block, { kind: 'sparse' }>, row: number): number[] {
  const list = new Array<number>(block.size).fill(0);
  for (let at = block.offsets[row]!; at < block.offsets[row + 1]!; at++) list[block.ids[at]!] = block.values[at]!;
  return list;
}

function denseRow(block: DenseBlock, row: number): unknown[] {
  return Array.from(
    block.values.slice(row * block.size, (row + 1) * block.size) as ArrayLike<number | bigint>,
    (value) => {
      if (block.dtype === 'bool') return value === 1;
      if (typeof value !== 'bigint' || value === SATURATED) return Number(value);
      return BigInt(Number(value)) === value ? Number(value) : value; // only labels exceed 2^53
    },
  );
}

/**
 * A cast converts a float that is too large for int64 to this number. Plans return it as the
 * float64 2^63, but some operators return it as a bigint. For the comparison, both become the same
 * number.
 */
const SATURATED = 2n ** 63n - 1n;
const narrowed = (value: unknown) => (value === SATURATED ? Number(value) : value);

/**
 * Returns where two answers differ, or undefined. -0 differs from 0, and all NaN are equal. Numbers
 * with other bits differ, unless `near` returns true for them.
 */
export function difference(
  got: unknown,
  want: unknown,
  near: (got: number, want: number) => boolean = Object.is,
  path = '',
): string | undefined {
  [got, want] = [narrowed(got), narrowed(want)];
  if (typeof got === 'number' && typeof want === 'number')
    return Object.is(got, want) || near(got, want) ? undefined : `${path}: ${show(got)} instead of ${show(want)}`;
  if (typeof want !== 'object' || want === null || typeof got !== 'object' || got === null)
    return Object.is(got, want) ? undefined : `${path}: ${show(got)} instead of ${show(want)}`;
  const [keys, wanted] = [Object.keys(got), Object.keys(want)];
  if (keys.length !== wanted.length) return `${path}: ${keys.length} entries instead of ${wanted.length}`;
  for (const key of wanted) {
    if (!Object.hasOwn(got, key)) return `${path}.${key}: missing`;
    const found = difference(
      (got as Record<string, unknown>)[key],
      (want as Record<string, unknown>)[key],
      near,
      `${path}.${key}`,
    );
    if (found !== undefined) return found;
  }
  return undefined;
}

const show = (value: unknown) =>
  Object.is(value, -0) ? '-0' : typeof value === 'string' ? JSON.stringify(value) : String(value);

/** @throws an error that names the engine, and the first location where it differs from `want`. */
export function expectSame(
  answers: ReadonlyMap<string, Answers>,
  want: Answers,
  near?: (got: number, want: number) => boolean,
): void {
  for (const [engine, got] of answers) {
    const found = difference(got, want, near, 'answer');
    if (found !== undefined) throw new Error(`${engine}: ${found}`);
  }
}
