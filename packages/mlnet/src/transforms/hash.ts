import { type Column, textOf } from '../column.js';
import { readPairs, type TransformReader } from '../component.js';
import type { ModelPart } from '../model-part.js';

export const hashing: TransformReader = {
  newest: 0x00010004,
  read(part, pipeline) {
    const pairs = readPairs(part);
    const columns = pairs.map(() => readColumn(part));
    part.end();
    pipeline.add(
      part.at,
      pairs.map(({ output, input }, at) => ({
        output,
        inputs: [input],
        apply([column]): Column {
          const [text, options] = [textOf(column!, part.at), columns[at]!];
          const place = text.hashKey({ ...options, first: 0 });
          return { kind: 'key', place, count: 2 ** options.hashBits, numbered: text.hashKey(options) };
        },
      })),
    );
  },
};

/** One text a column: the order of several does not matter, nor whether they have one hash. */
function readColumn(part: ModelPart) {
  const [hashBits, seed] = [part.int(), part.uint()];
  if (!(hashBits >= 1 && hashBits <= 31)) throw part.fail('1 to 31 bits', `${hashBits}`);
  part.bool();
  if (part.version >= 0x00010004) part.bool();
  return { hashBits, seed, scheme: part.version < 0x00010003 ? 1 : 2 } as const;
}
