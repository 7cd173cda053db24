import {
  type Block,
  OperatorError,
  type ParameterValue,
  type ReferenceCall,
  type ReferenceKernel,
  RowError,
} from '@brezel/core';
import type { CustomCall } from './call.js';
import { checkedBlock } from './check-block.js';
import { builderOf, readerOf, WrongResult } from './row-values.js';

/** Returns a reference kernel that calls a custom function once for each row. */
export function rowKernel(name: string, run: (...values: unknown[]) => unknown): ReferenceKernel {
  return ({ rows, inputs, inputTypes, type, attributes, parameters }) => {
    const readers = inputs.map((block, at) => readerOf(block, inputTypes[at]!));
    const builder = builderOf(type, rows);
    let row = 0;
    const call: CustomCall = {
      attributes,
      parameters: Object.fromEntries(Object.entries(parameters).map(([key, value]) => [key, arrayOf(value)])) as never,
      refuse: (reason, hint) => {
        throw new RowError(row, { received: `${reason} (${name})`, ...(hint !== undefined && { hint }) });
      },
    };
    for (; row < rows; row++) {
      const values = readers.map((read) => read(row));
      failures(name, row, () => builder.add(row, run(...values, call)));
    }
    return builder.finish();
  };
}

/** Returns a reference kernel that calls a custom function once for each block. */
export function blockKernel(name: string, run: (call: ReferenceCall) => Block): ReferenceKernel {
  return (call) => failures(name, undefined, () => checkedBlock(run(call), call.type, call.rows));
}

const arrayOf = (value: ParameterValue) => (value.dtype === 'string' ? value.values : value.data);

/**
 * Runs `work`. Converts errors of the custom function to an OperatorError that names the operator,
 * except a RowError, with which the function rejects a row.
 */
function failures<T>(name: string, row: number | undefined, work: () => T): T {
  try {
    return work();
  } catch (cause) {
    if (cause instanceof RowError) throw cause;
    if (cause instanceof WrongResult) {
      const { expected, received } = cause;
      throw new OperatorError(name, row, { expected, received });
    }
    throw new OperatorError(name, row, { received: messageOf(cause), cause });
  }
}

const messageOf = (cause: unknown) => (cause instanceof Error ? `${cause.name}: ${cause.message}` : String(cause));
