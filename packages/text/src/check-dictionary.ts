import { storeError } from '@brezel/object-store';
import { BUCKET_CELLS, Field } from './dictionary.js';

const MAX_COLUMNS = 2 ** 24;
const LARGEST_N = 64;

/**
 * Checks that every lookup in a dictionary ends. The sizes must be valid, and each table must have
 * a bucket where probing stops.
 *
 * The bytes may come from a file. If other bytes in the tables are wrong, lookups only return wrong
 * columns, because a read outside a typed array returns undefined.
 */
export function checkDictionary(blob: Uint8Array, field: Uint32Array): void {
  const table = (offsetField: number, countField: number) => {
    const [start, count] = [field[offsetField]! >>> 2, field[countField]!];
    if (start * 4 + count * BUCKET_CELLS * 4 > blob.byteLength) return false;
    for (let bucket = 0; bucket < count; bucket++)
      if (field[start + (bucket + 1) * BUCKET_CELLS - 1] !== 1) return true;
    return count === 0;
  };
  const isSound =
    field[Field.columns]! <= MAX_COLUMNS &&
    field[Field.minN]! >= 1 &&
    field[Field.minN]! <= field[Field.maxN]! &&
    field[Field.maxN]! <= LARGEST_N &&
    field[Field.directMax]! <= 4 &&
    field[Field.symbolPageIndex]! + (field[Field.alphabet]! > 0 ? 0x1100 * 2 : 0) <= blob.byteLength &&
    field[Field.symbolPageIndex]! % 2 === 0 &&
    table(Field.wordTable, Field.wordBuckets) &&
    table(Field.gramTable, Field.gramBuckets);
  if (!isSound) throw storeError('ERR_STORE_DICTIONARY', { received: 'a dictionary of impossible sizes' });
}
