import {
  type Answer,
  type AnswerElement,
  type AnswerList,
  type AnswerValue,
  type Block,
  type DenseBlock,
  dtypeOf,
  type OutputPort,
  printType,
  shortFloat32,
  sizeOf,
  type ValueType,
  vector,
} from '@brezel/core';
import { runtimeError } from '../../errors.js';

export type { Answer, AnswerElement, AnswerList, AnswerValue } from '@brezel/core';

/**
 * The values that an engine computed for some rows. The addon returns numbers, `plan.width` for
 * each row. JavaScript returns one block for each output.
 */
export type RowValues = Float64Array | readonly Block[];

/** Returns the answer whose numbers start at index `at` of an out-array. */
export function answerFromNumbers(outputs: readonly OutputPort[], numbers: Float64Array, at: number): Answer {
  const answer: Record<string, AnswerValue> = {};
  for (let output = 0; output < outputs.length; output++) {
    const port = outputs[output]!;
    answer[port.name] = valueFromNumbers(port, numbers, at + port.offset);
  }
  return answer;
}

function valueFromNumbers(port: OutputPort, numbers: Float64Array, at: number): AnswerValue {
  const { type } = port;
  if (port.labels !== undefined) return elements(port, (index) => port.labels![numbers[at + index]!]!);
  if (type.kind === 'map')
    return Object.fromEntries(type.keys.map((key, index) => [key, shown(port, numbers[at + index]!)]));
  if (dtypeOf(type) === 'bool') return elements(port, (index) => numbers[at + index] === 1);
  // no closure here, because a closure would allocate memory at every prediction
  if (type.kind === 'scalar') return port.short ? shortFloat32(numbers[at]!) : numbers[at]!;
  if (port.short) return elements(port, (index) => shortFloat32(numbers[at + index]!));
  return elements(port, (index) => numbers[at + index]!);
}

/**
 * Returns a float as the answer shows it. If the output is `short`, the number has the fewest
 * decimals that identify the same float32.
 */
const shown = ({ short }: OutputPort, value: number): number => (short ? shortFloat32(value) : value);

function elements(port: OutputPort, element: (index: number) => AnswerElement): AnswerValue {
  if (port.type.kind === 'scalar') return element(0);
  const list = new Array<AnswerElement>(port.length);
  for (let index = 0; index < port.length; index++) list[index] = element(index);
  return port.type.kind === 'tensor' ? nested(list, port.type.shape) : list;
}

/** Converts row-major elements to nested lists. */
function nested(list: readonly AnswerElement[], shape: readonly number[]): AnswerList {
  let lists: AnswerList = list;
  for (const size of shape.slice(1).reverse()) {
    const inner: AnswerList = lists;
    lists = Array.from(
      { length: inner.length / size },
      (_, at) => inner.slice(at * size, (at + 1) * size) as AnswerList,
    );
  }
  return lists;
}

/** Reads the answer to row `row` from the output blocks of a JavaScript engine. */
export function answerFromBlocks(outputs: readonly OutputPort[], blocks: readonly Block[], row: number): Answer {
  return Object.fromEntries(outputs.map((port, at) => [port.name, valueFromBlock(port, blocks[at]!, row)]));
}

function valueFromBlock(port: OutputPort, block: Block, row: number): AnswerValue {
  if (block.kind === 'tokens') return [...block.values[row]!];
  if (block.kind === 'dictionary') return Object.fromEntries(block.values[row]!);
  if (block.kind === 'strings') return elements(port, (index) => block.values[row * block.size + index]!);
  if (block.kind === 'sparse') {
    const list = new Array<number>(block.size).fill(0);
    for (let at = block.offsets[row]!; at < block.offsets[row + 1]!; at++)
      list[block.ids[at]!] = shown(port, block.values[at]!);
    return list;
  }
  const at = (index: number) => {
    const value = block.values[row * block.size + index]!;
    return port.short ? shortFloat32(value as number) : plain(value, block.dtype, port.wide);
  };
  if (port.type.kind === 'map')
    return Object.fromEntries(port.type.keys.map((key, index) => [key, at(index) as number]));
  return elements(port, at);
}

/**
 * Converts an element of a JavaScript engine to the form that the addon returns. Integers become
 * numbers. With `wide`, an integer that float64 cannot hold becomes a bigint.
 */
function plain(value: number | bigint, dtype: string, wide = false): AnswerElement {
  if (dtype === 'bool') return value === 1;
  if (typeof value === 'number' || !wide) return Number(value);
  return BigInt(Number(value)) === value ? Number(value) : value;
}

/** Returns the vector type for the elements of a map or tensor. Other types stay unchanged. */
const inALine = (type: ValueType): ValueType =>
  type.kind === 'map' || type.kind === 'tensor' ? vector(dtypeOf(type), sizeOf(type)) : type;

/** Writes the answer to one row into an out-array. A label is written as its index. */
export function numbersFromBlocks(
  outputs: readonly OutputPort[],
  blocks: readonly Block[],
  row: number,
  out: Float64Array,
  at: number,
): void {
  outputs.forEach((port, index) => {
    const block = blocks[index]!;
    if (
      block.kind === 'tokens' ||
      block.kind === 'dictionary' ||
      (block.kind === 'strings' && port.labels === undefined)
    ) {
      throw runtimeError('ERR_RUNTIME_OUTPUT', {
        expected: 'numbers or labels',
        received: printType(port.type),
        at: `output "${port.name}"`,
        hint: 'an out-array holds numbers: predict without one',
      });
    }
    if (block.kind === 'strings') {
      for (let element = 0; element < port.length; element++)
        out[at + port.offset + element] = port.labels!.indexOf(block.values[row * block.size + element]!);
      return;
    }
    if (block.kind === 'dense' && (block.dtype === 'float32' || block.dtype === 'float64')) {
      const { values, size } = block as DenseBlock<'float32' | 'float64'>;
      out.set(values.subarray(row * size, (row + 1) * size), at + port.offset);
      return;
    }
    const { short: _, ...exact } = port; // an out-array holds exact values
    const value = valueFromBlock({ ...exact, type: inALine(port.type) }, block, row);
    [value].flat().forEach((value, element) => {
      out[at + port.offset + element] = Number(value);
    });
  });
}
