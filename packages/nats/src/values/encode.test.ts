import fc from 'fast-check';
import { describe, expect, test, vi } from 'vitest';
import { seed } from '../../../../testing/seed.js';
import { codeOf } from '../../test/errors.js';
import { decodeValues } from './decode.js';
import { encodeValue } from './encode.js';
import { Reader } from './reader.js';
import { Tag, typedArrays } from './tags.js';

const LIMIT = 2 ** 20;
const roundTrip = (value: unknown) => decodeValues(encodeValue(value, LIMIT), 1)[0];

const texts = fc.oneof(fc.string(), fc.string({ unit: 'binary' }), fc.constantFrom('__proto__', '\ud800', 'a\udc00b'));
const arrays = fc
  .tuple(fc.constantFrom(...typedArrays), fc.uint8Array({ maxLength: 64 }))
  .map(([type, bytes]) => new type(bytes.slice(0, bytes.length - (bytes.length % 8)).buffer as ArrayBuffer));
const leaves = fc.oneof(
  fc.double(),
  fc.float(),
  fc.integer(),
  fc.constantFrom(Number.NaN, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY, -0, 0, 2 ** 53, 5e-324),
  fc.bigInt(),
  texts,
  fc.boolean(),
  fc.constantFrom(null, undefined),
  arrays,
);
const values = fc.letrec((tie) => ({
  value: fc.oneof({ maxDepth: 4 }, leaves, tie('list'), tie('object'), tie('map'), tie('table')),
  list: fc.array(tie('value'), { maxLength: 5 }),
  object: fc.dictionary(texts, tie('value'), { maxKeys: 4, noNullPrototype: true }),
  map: fc.array(fc.tuple(texts, tie('value')), { maxLength: 4 }).map((entries) => new Map(entries)),
  table: fc.array(fc.record({ x: tie('value'), 'é y': fc.double() }, { noNullPrototype: true }), { maxLength: 5 }),
})).value;

describe('values', () => {
  test('are decoded as they were encoded', () => {
    fc.assert(
      fc.property(values, (value) => {
        expect(roundTrip(value)).toStrictEqual(value);
      }),
      { seed, numRuns: 500 },
    );
  });

  test.each([
    ['NaN and -0', [Number.NaN, -0, 0, Number.POSITIVE_INFINITY]],
    ['float64', [0.1, 1 / 3, Number.MAX_VALUE]],
    ['int64', { y: 9_223_372_036_854_775_807n, z: [-9_223_372_036_854_775_808n, 0n] }],
    ['half a surrogate pair', ['\ud83d', '\ude00', '\ud83d\ude00']],
    [
      'fields with the names of elements',
      [
        { 1023: 1, 7: 2 },
        { 1023: 3, 7: [{ 4294967294: 4, 4294967295: 5, '007': 6 }] },
      ],
    ],
    ['the field __proto__', JSON.parse('[{"__proto__": 1}, {"__proto__": {"x": 2}}]')],
    ['empty values', [[], {}, '', new Map(), new Float32Array(0), 0n]],
  ])('are exact: %s', (_, value) => {
    expect(roundTrip(value)).toStrictEqual(value);
  });

  test('the bits of NaN in a typed array do not change', () => {
    const bits = Uint32Array.of(0x7fc0_0001, 0xffc1_2345);
    const decoded = roundTrip(new Float32Array(bits.buffer)) as Float32Array;
    expect(new Uint32Array(decoded.buffer)).toStrictEqual(bits);
  });

  test('a field of a prototype is neither encoded nor set', () => {
    const decoded = roundTrip(JSON.parse('{"__proto__": {"x": 1}}')) as { x?: number };
    expect([decoded.x, Object.getPrototypeOf(decoded)]).toStrictEqual([undefined, Object.prototype]);
  });

  test.each([
    ['a function', () => () => 1],
    ['a symbol', () => Symbol('x')],
    ['a date', () => new Date(0)],
    ['a set', () => new Set()],
    ['a promise', () => Promise.resolve()],
    ['a DataView', () => new DataView(new ArrayBuffer(1))],
    [
      'a cycle',
      () => {
        const cycle: unknown[] = [];
        cycle.push(cycle);
        return cycle;
      },
    ],
  ])('cannot contain %s', (_, value) => {
    expect(codeOf(() => encodeValue([value()], LIMIT))).toBe('ERR_NATS_VALUE');
  });

  test.each([
    ['a list', (value: unknown) => [value, 'x']],
    ['an object', (value: unknown) => ({ x: value })],
    ['a table', (value: unknown) => [{ x: value }, { x: 0 }]],
  ])('are decoded at every depth at which they are encoded, nested in %s', (_, around) => {
    for (const inner of [1, [1], [{ x: 1 }, { x: 2 }], [{ x: 'a' }, { x: 2 }], new Map([[1, 2]])]) {
      let value: unknown = inner;
      let levels = 0;
      for (; codeOf(() => encodeValue(value, LIMIT)) === 'no error'; levels++) {
        expect(codeOf(() => roundTrip(value))).toBe('no error');
        value = around(value);
      }
      expect(codeOf(() => encodeValue(value, LIMIT))).toBe('ERR_NATS_VALUE');
      expect(levels).toBeGreaterThan(30);
    }
  });

  test('have a largest size, also if lists share elements', () => {
    let value: unknown = ['x', 1];
    for (let level = 0; level < 40; level++) value = [value, value];
    expect(codeOf(() => encodeValue(value, LIMIT))).toBe('ERR_NATS_TOO_LARGE');
    expect(codeOf(() => encodeValue('x'.repeat(20), 20))).toBe('ERR_NATS_TOO_LARGE');
  });
});

describe('hostile bytes', () => {
  const bytesOrCode = (bytes: Uint8Array) => codeOf(() => decodeValues(bytes, 1));

  test('give a value or ERR_NATS_MESSAGE', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 100 }), (bytes) => {
        expect(['no error', 'ERR_NATS_MESSAGE']).toContain(bytesOrCode(bytes));
      }),
      { seed, numRuns: 2000 },
    );
  });

  test('that are changed messages give a value or ERR_NATS_MESSAGE', () => {
    fc.assert(
      fc.property(values, fc.nat(), fc.nat({ max: 255 }), (value, at, byte) => {
        const bytes = Uint8Array.from(encodeValue(value, LIMIT));
        bytes[at % bytes.length] = byte;
        expect(['no error', 'ERR_NATS_MESSAGE']).toContain(bytesOrCode(bytes));
        expect(bytesOrCode(bytes.subarray(0, at % bytes.length))).toBe('ERR_NATS_MESSAGE');
      }),
      { seed, numRuns: 500 },
    );
  });

  test.each([
    ['a list that claims 2^32 - 1 elements', [8, 255, 255, 255, 255]],
    ['a table that claims 2^32 - 1 rows', [14, 255, 255, 255, 255, 1, 0, 0, 0]],
    ['a table without fields', [14, 0, 0, 0, 0, 0, 0, 0, 0]],
    ['a typed array of an unknown kind', [13, 99, 0, 0, 0, 0]],
    ['a typed array with half an element', [13, 0, 4, 0, 0, 0, 1, 2, 3, 4]],
    ['an unknown type', [99]],
    ['bytes after the value', [1, 1]],
    ['nothing', []],
  ])('are rejected: %s', (_, bytes) => {
    expect(bytesOrCode(Uint8Array.from(bytes))).toBe('ERR_NATS_MESSAGE');
  });

  const MB = 2 ** 20;

  test('of nested lists reserve no memory for elements that are not there', () => {
    const bytes = Buffer.alloc(MB, 1);
    for (let list = 0; list < 63; list++) {
      bytes[5 * list] = Tag.list;
      bytes.writeUInt32LE(MB - 5 * list - 5, 5 * list + 1);
    }
    bytes[5 * 63] = Tag.text; // its length is 2^24 + 2^16 + 2^8 + 1, too large
    const before = process.memoryUsage().heapUsed;
    let inside = 0;
    const count = vi.spyOn(Reader.prototype, 'text').mockImplementation(() => {
      inside = process.memoryUsage().heapUsed;
      return '';
    });
    try {
      expect(bytesOrCode(bytes)).toBe('ERR_NATS_MESSAGE');
    } finally {
      count.mockRestore();
    }
    expect(inside).toBeGreaterThan(0);
    expect(inside - before).toBeLessThan(64 * MB);
  });

  test('of fields with the names of elements reserve no memory for other elements', () => {
    const rows = 20_000;
    const table = Buffer.alloc(9 + 9 + 5 + rows, Tag.null);
    table[0] = Tag.table;
    table.writeUInt32LE(rows, 1);
    table.writeUInt32LE(1, 5);
    table[9] = Tag.text;
    table.writeUInt32LE(4, 10);
    table.write('1023', 14);
    table[18] = Tag.list;
    table.writeUInt32LE(rows, 19);
    const before = process.memoryUsage().heapUsed;
    const [value] = decodeValues(table, 1) as [Record<string, null>[]];
    expect(process.memoryUsage().heapUsed - before).toBeLessThan(64 * MB);
    expect([value.length, value.at(-1)]).toStrictEqual([rows, { 1023: null }]);
  });

  test('that are nested deeply are rejected', () => {
    const nested = Array.from({ length: 100_000 }, () => [8, 1, 0, 0, 0]).flat();
    expect(bytesOrCode(Uint8Array.from(nested))).toBe('ERR_NATS_MESSAGE');
  });
});
