import { type Column, textOf } from '../column.js';
import { eachColumn, type TransformReader } from '../component.js';
import type { ModelPart } from '../model-part.js';

export const hashing: TransformReader = {
  newest: 0x00010004,
  read(part, pipeline) {
    const apply = (column: Column, options: ReturnType<typeof readColumn>): Column => {
      const text = textOf(column, part.at);
      const place = text.hashKey({ ...options, first: 0 });
      return { kind: 'key', place, count: 2 ** options.hashBits, numbered: text.hashKey(options) };
    };
    eachColumn(part, pipeline, () => readColumn(part), apply);
  },
};

/**
 * Reads the options of a hashed column. Skips the options for vectors of texts and for hash
 * collisions, because the importer supports only columns with a single text.
 */
function readColumn(part: ModelPart) {
  const [hashBits, seed] = [part.int(), part.uint()];
  if (!(hashBits >= 1 && hashBits <= 31)) throw part.fail('1 to 31 bits', `${hashBits}`);
  part.bool();
  if (part.version >= 0x00010004) part.bool();
  return { hashBits, seed, scheme: part.version < 0x00010003 ? 1 : 2 } as const;
}
