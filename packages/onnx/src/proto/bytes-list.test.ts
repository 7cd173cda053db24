import fc from 'fast-check';
import { expect, test } from 'vitest';
import { seed } from '../../test/seed.js';
import { BytesList, decodeText } from './bytes-list.js';

test('decodes as TextDecoder does, with byte-order marks', () => {
  const decoder = new TextDecoder('utf-8', { ignoreBOM: true });
  // Bytes that start, continue and break UTF-8 sequences, so that every kind of invalid sequence
  // occurs.
  const byte = fc.oneof(fc.nat(255), fc.constantFrom(0xef, 0xbb, 0xbf, 0xe2, 0x82, 0xf0, 0x9f, 0xed, 0xa0, 0xc0, 0x80));
  const bytes = fc.array(byte, { maxLength: 12 }).map((values) => Uint8Array.from(values));
  fc.assert(
    fc.property(fc.array(bytes, { maxLength: 5 }), (values) => {
      const list = BytesList.of(values);
      expect(list.length).toBe(values.length);
      expect(list.texts()).toEqual(values.map((value) => decoder.decode(value)));
      expect(values.map(decodeText)).toEqual(list.texts());
    }),
    { numRuns: 2000, seed },
  );
});

test('text is written and read', () => {
  fc.assert(
    fc.property(fc.array(fc.string({ unit: 'binary' })), (texts) => {
      expect(BytesList.of(texts).texts()).toEqual(texts);
    }),
    { seed },
  );
});
