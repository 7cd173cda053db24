import { dtypeOf } from '@brezel/core';
import type { Flow } from '@brezel/flour';
import { type Column, type KeyValues, keysOf, lookedUp, oneHotOf, valueColumn, valuesOf } from '../column.js';
import { eachColumn, readPairs, type TransformReader } from '../component.js';
import { damaged, mlNetError, unsupported } from '../errors.js';
import type { ModelPart } from '../model-part.js';

export const valueToKey: TransformReader = {
  newest: 0x00010003,
  read(part, pipeline) {
    const pairs = readPairs(part);
    // Skips a flag: whether tools show the values of the keys as texts.
    if (part.version >= 0x00010003) for (const _ of pairs) part.bool();
    part.end();
    const terms = readTerms(part.part('Vocabulary').upTo(0x00010002), pairs.length);
    pipeline.add(
      part.at,
      pairs.map(({ output, input }, at) => ({
        output,
        inputs: [input],
        keys: terms[at],
        apply: ([column]) => keyed(column!, terms[at]!, part.at),
      })),
    );
  },
};

function keyed(column: Column, keys: KeyValues, at: string): Column {
  if (column.kind === 'tokens' && keys.kind === 'text')
    return { kind: 'token-keys', flow: column.flow, terms: keys.values };
  const flow = valuesOf(column, at);
  const dtype = keys.kind === 'text' ? 'string' : keys.dtype;
  if (dtypeOf(flow.type) !== dtype)
    throw mlNetError('ERR_MLNET_COLUMN', { expected: dtype, received: dtypeOf(flow.type), at });
  const place = (flow as Flow<'scalar'>).indexOf(keys.values as readonly number[]);
  return { kind: 'key', place, count: keys.values.length, values: keys };
}

/** Reads, for each column, the values of its keys. */
function readTerms(part: ModelPart, columns: number): KeyValues[] {
  const count = part.count(4);
  if (count !== columns) throw part.fail(`${columns} columns`, `${count}`);
  const terms = Array.from({ length: columns }, () => readKeyValues(part));
  part.end();
  return terms;
}

const numbers = {
  Single: ['float32', 4, (part: ModelPart) => part.float()],
  Double: ['float64', 8, (part: ModelPart) => part.double()],
  Int32: ['int32', 4, (part: ModelPart) => part.int()],
  UInt32: ['int64', 4, (part: ModelPart) => part.uint()],
  Byte: ['int32', 1, (part: ModelPart) => part.byte()],
} as const;

function readKeyValues(part: ModelPart): KeyValues {
  const kind = part.version >= 0x00010002 ? part.byte() : 0;
  if (kind === 0)
    return distinct(part, { kind: 'text', values: Array.from({ length: part.count(4) }, () => part.string()) });
  if (kind !== 1) throw part.fail('texts or values of a codec', `kind ${kind}`);
  const type = part.text();
  part.bytes(part.leb());
  if (!Object.hasOwn(numbers, type)) throw unsupported(part.at, `keys of values of type ${type.slice(0, 100)}`);
  const [dtype, bytes, read] = numbers[type as keyof typeof numbers];
  return distinct(part, { kind: 'number', dtype, values: Array.from({ length: part.count(bytes) }, () => read(part)) });
}

function distinct(part: ModelPart, keys: KeyValues): KeyValues {
  const all = new Set<unknown>(keys.values);
  const isGood = (value: string | number) => (typeof value === 'string' ? value.isWellFormed() : !Number.isNaN(value));
  if (all.size === 0) throw unsupported(part.at, 'a key without values');
  if (all.size !== keys.values.length || !(keys.values as readonly (string | number)[]).every(isGood))
    throw damaged(part.at, 'distinct, well-formed values of keys', 'duplicate or malformed values');
  return keys;
}

export const keyToValue: TransformReader = {
  newest: 0x00010001,
  read(part, pipeline) {
    const pairs = readPairs(part);
    part.end();
    pipeline.add(
      part.at,
      pairs.map(({ output, input }) => ({
        output,
        inputs: [input],
        apply([column]) {
          const { place, values } = keysOf(column!, part.at);
          if (values === undefined)
            throw mlNetError('ERR_MLNET_COLUMN', { expected: `values of the keys of ${input}`, at: part.at });
          return valueColumn(lookedUp(place, values));
        },
      })),
    );
  },
};

export const keyToVector: TransformReader = {
  newest: 0x00010002,
  read(part, pipeline) {
    if (part.version < 0x00010002) part.floatSize();
    const readBag = () => part.bool();
    eachColumn(part, pipeline, readBag, (column, isBag, flour) => {
      const { place, count } = keysOf(column, part.at);
      if (isBag && place.kind === 'vector') throw unsupported(part.at, 'counts of several keys');
      return valueColumn(oneHotOf(flour, place, count));
    });
  },
};
