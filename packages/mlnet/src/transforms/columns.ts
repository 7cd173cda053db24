import { indexBelow } from '@brezel/core';
import { asVector, valueColumn, valuesOf } from '../column.js';
import { readPairs, type TransformReader } from '../component.js';
import type { ModelPart } from '../model-part.js';

export const copyColumns: TransformReader = {
  newest: 0x00010001,
  read(part, pipeline) {
    const pairs = readPairs(part);
    part.end();
    pipeline.add(
      part.at,
      pairs.map(({ output, input }) => ({
        output,
        inputs: [input],
        keys: pipeline.column(input)?.keys,
        apply: ([column]) => column!,
      })),
    );
  },
};

export const selectColumns: TransformReader = {
  newest: 0x00010001,
  read(part, pipeline) {
    const keep = part.bool();
    // Skips two flags that have no effect on predictions: how to treat dropped columns and missing
    // columns.
    part.bytes(2);
    const names = Array.from({ length: part.count(4) }, () => part.string());
    part.end();
    if (keep) pipeline.keepOnly(names);
    else pipeline.drop(names);
  },
};

export const concatColumns: TransformReader = {
  newest: 0x00010003,
  read(part, pipeline) {
    const columns = part.version >= 0x00010003 ? readColumns(part) : readOldColumns(part);
    part.end();
    pipeline.add(
      part.at,
      columns.map(({ output, inputs }) => ({
        output,
        inputs,
        apply(given) {
          const [first, ...others] = given.map((column) => asVector(valuesOf(column, part.at)));
          return valueColumn(others.length === 0 ? first! : first!.concat(...others));
        },
      })),
    );
  },
};

interface Concatenation {
  readonly output: string;
  readonly inputs: readonly string[];
}

function readColumns(part: ModelPart): Concatenation[] {
  return Array.from({ length: part.count(12) }, () => {
    const output = part.string();
    const inputs = Array.from({ length: someOf(part) }, () => {
      const name = part.string();
      part.stringOrNull(); // a prefix for the names of its slots
      return name;
    });
    return { output, inputs };
  });
}

function readOldColumns(part: ModelPart): Concatenation[] {
  part.floatSize();
  const columns = Array.from({ length: part.count(8) }, () => {
    const output = part.string();
    return { output, inputs: Array.from({ length: someOf(part) }, () => part.string()) };
  });
  // Since version 1.2, the file lists prefixes of slot names with their positions. Position -1 ends
  // the list.
  if (part.readable >= 0x00010002)
    for (const { inputs } of columns)
      for (let place = part.int(); place !== -1; place = part.int()) {
        if (!(place >= 0 && place < inputs.length)) throw part.fail(indexBelow('an index', inputs.length), `${place}`);
        part.string();
      }
  return columns;
}

function someOf(part: ModelPart): number {
  const count = part.count(4);
  if (count === 0) throw part.fail('at least one column', 'none');
  return count;
}
