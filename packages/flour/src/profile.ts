import type { Block } from '@brezel/core';
import { int32 } from './define-op.js';
import { Program, type ProgramNode, type Statistics } from './program.js';
import { runNodes } from './reference.js';

/**
 * Adds statistics to a program. Runs sample rows as `runProgram` does, and measures for each value
 * its number of entries, its density, and the frequency of each sparse column. Oven uses the
 * statistics to estimate sizes and to select kernels.
 *
 * Cost: one run of the reference implementations over the rows. A few hundred rows are enough.
 * @param batches blocks of rows for each input, by name. Smaller batches need less memory.
 * @returns an equal program with statistics on every node.
 * @throws ERR_FLOUR_NAME for a missing input.
 * @example profileProgram(program, [{ text: strings(2, 1, ['a good film', 'not my taste']) }]).plan()
 */
export function profileProgram(program: Program, batches: SampleBatches): Program {
  return profilePrograms([{ program, batches }])[0]!;
}

/** Blocks of sample rows, each with one value for each input, by name. */
export type SampleBatches = Iterable<Readonly<Record<string, Block>>>;

/**
 * Adds statistics to several programs, as `profileProgram` does. Counts equal nodes of all programs
 * together, so that equal nodes get equal statistics. Nodes are equal if they run the same operator
 * with the same attributes and parameters on equal nodes.
 *
 * @returns programs in the order of `members`
 */
export function profilePrograms(
  members: readonly { readonly program: Program; readonly batches: SampleBatches }[],
): Program[] {
  const keys = new NodeKeys();
  const counters = new Map<number, Counter>();
  for (const { program, batches } of members) {
    for (const inputs of batches) {
      for (const [node, block] of runNodes(program, inputs)) {
        const key = keys.of(node);
        const counter = counters.get(key) ?? new Counter();
        counter.add(block);
        counters.set(key, counter);
      }
    }
  }
  return members.map(({ program }) => withStatistics(program, (node) => counters.get(keys.of(node))));
}

/** Gives equal nodes the same number. */
class NodeKeys {
  readonly #numbers = new Map<string, number>();
  readonly #known = new Map<ProgramNode, number>();

  of(node: ProgramNode): number {
    const known = this.#known.get(node);
    if (known !== undefined) return known;
    const text = this.#textOf(node);
    const number = this.#numbers.get(text) ?? this.#numbers.size;
    this.#numbers.set(text, number);
    this.#known.set(node, number);
    return number;
  }

  #textOf({ operator, name, inputs, attributes, parameters, type }: ProgramNode): string {
    const ids = Object.entries(parameters).map(([parameter, { id }]) => [parameter, id]);
    return JSON.stringify([
      operator?.name,
      operator?.version,
      name,
      Object.entries(attributes).sort(byName),
      ids.sort(byName),
      inputs.map((input) => this.of(input)),
      type,
    ]);
  }
}

const byName = ([a]: readonly unknown[], [b]: readonly unknown[]): number => (String(a) < String(b) ? -1 : 1);

function withStatistics(program: Program, counterOf: (node: ProgramNode) => Counter | undefined): Program {
  const { context } = program;
  const profiled = new Map<ProgramNode, ProgramNode>();
  const find = (node: ProgramNode) => profiled.get(node)!;
  for (const node of new Set([...program.inputs, ...program.nodes()])) {
    const counter = counterOf(node);
    const frequency = counter?.frequency && { frequency: context.own(int32(counter.frequency)) };
    const statistics = { ...node.statistics, ...counter?.statistics(), ...frequency };
    profiled.set(node, Object.freeze({ ...node, inputs: node.inputs.map(find), statistics }));
  }
  const outputs = program.outputs.map(({ name, node }) => ({ name, node: find(node) }));
  return new Program(context, program.name, outputs, program.inputs.map(find), program.maxOperators);
}

/** Counts the entries of one value in all rows. */
class Counter {
  frequency: Int32Array | undefined;
  #rows = 0;
  #entries = 0;
  #most = 0;
  /**
   * The number of columns of the value. Undefined for texts, tokens and dictionaries, which have no
   * density.
   */
  #columns: number | undefined;

  add(block: Block): void {
    for (let row = 0; row < block.rows; row++) {
      const entries = entriesOfRow(block, row);
      this.#rows++;
      this.#entries += entries;
      this.#most = Math.max(this.#most, entries);
    }
    if (block.kind === 'sparse' || block.kind === 'dense') this.#columns = block.size;
    if (block.kind !== 'sparse') return;
    this.frequency ??= new Int32Array(block.size);
    for (const id of block.ids) this.frequency[id]!++;
  }

  statistics(): Statistics {
    if (this.#rows === 0) return {};
    const mean = this.#entries / this.#rows;
    const sizes = { maxVectorSize: this.#most, meanVectorSize: mean };
    return this.#columns === undefined ? sizes : { ...sizes, density: mean / this.#columns };
  }
}

function entriesOfRow(block: Block, row: number): number {
  switch (block.kind) {
    case 'sparse':
      return block.offsets[row + 1]! - block.offsets[row]!;
    case 'tokens':
      return block.values[row]!.length;
    case 'dictionary':
      return block.values[row]!.size;
    case 'strings':
      return byteLength(block.values.slice(row * block.size, (row + 1) * block.size));
    case 'dense':
      return countNonZero(block.values.subarray(row * block.size, (row + 1) * block.size));
  }
}

const encoder = new TextEncoder();
const byteLength = (texts: readonly string[]) => texts.reduce((sum, text) => sum + encoder.encode(text).length, 0);

function countNonZero(values: ArrayLike<number | bigint>): number {
  let count = 0;
  for (let at = 0; at < values.length; at++) if (Number(values[at]) !== 0) count++;
  return count;
}
