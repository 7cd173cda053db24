import { type Block, dtypeOf, numericArray, printType, sizeOf, strings, type ValueType } from '@brezel/core';
import { shown, WrongResult } from './row-values.js';

/**
 * Checks a block that a custom function returned, because kernels read it without checking its
 * sizes. Replaces lone surrogates in its strings.
 */
export function checkedBlock(block: Block, type: ValueType, rows: number): Block {
  const need = (holds: boolean, received: () => string) => {
    if (!holds) throw new WrongResult(`a block of ${rows} rows of ${printType(type)}`, received());
  };
  need(typeof block === 'object' && block !== null, () => shown(block));
  need(block.rows === rows && block.kind === kindOf(type), () => `${block.kind} of ${block.rows} rows`);
  if (block.kind === 'tokens') {
    need(block.values.length === rows, () => `tokens of ${block.values.length} rows`);
    return { ...block, values: block.values.map((tokens) => tokens.map(wellFormed)) };
  }
  if (block.kind === 'dictionary') throw new WrongResult(printType(type), 'a dictionary');
  need(block.size === sizeOf(type), () => `size ${block.size}`);
  if (block.kind === 'strings') {
    need(block.values.length === rows * block.size, () => `${block.values.length} strings`);
    return strings(rows, block.size, block.values.map(wellFormed));
  }
  if (block.kind === 'sparse') {
    checkSparse(block, need);
    return block;
  }
  const array = numericArray(block.dtype, 0);
  need(block.dtype === dtypeOf(type) && block.values?.constructor === array.constructor, () => `${block.dtype} values`);
  need(block.values.length === rows * block.size, () => `${block.values.length} numbers`);
  return block;
}

function checkSparse(
  { rows, size, offsets, ids, values }: Extract<Block, { kind: 'sparse' }>,
  need: (holds: boolean, received: () => string) => void,
): void {
  const isTyped = offsets instanceof Uint32Array && ids instanceof Uint32Array && values instanceof Float32Array;
  need(
    isTyped && offsets.length === rows + 1 && offsets[0] === 0,
    () => 'offsets, ids and values of other types or sizes',
  );
  need(
    ids.length === offsets[rows] && values.length === ids.length,
    () => `${ids.length} ids and ${values.length} values`,
  );
  for (let row = 0; row < rows; row++) {
    const [from, to] = [offsets[row]!, offsets[row + 1]!];
    need(from <= to && to <= ids.length, () => `offsets that fall at row ${row}`);
    const own = ids.subarray(from, to);
    need(
      new Set(own).size === own.length && own.every((id) => id < size),
      () => `columns twice or beyond ${size} in row ${row}`,
    );
  }
}

function kindOf(type: ValueType): Block['kind'] {
  if (type.kind === 'tokens' || type.kind === 'sparse') return type.kind;
  return dtypeOf(type) === 'string' ? 'strings' : 'dense';
}

function wellFormed(value: unknown): string {
  if (typeof value === 'string') return value.toWellFormed();
  throw new WrongResult('text', shown(value));
}
