import type { WireFunctions } from '@brezel/object-store';
import { readModel } from '@brezel/onnx';
import { BinaryWriter, WireType } from '@bufbuild/protobuf/wire';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { seed } from '../../../testing/seed.js';
import { loadNative, openStore } from '../src/native-store.js';

// The addon reads long lists of ONNX files. For every file, it gives the same lists or the same
// error as the TypeScript reader.

const parameters = { seed, numRuns: 400 };
const { addon } = loadNative();
const native = (await openStore()).memory.wire as WireFunctions;

/** The number of elements that the addon's functions have read. */
let readNatively = 0;
const wire: WireFunctions = {
  ...native,
  numbers(...run) {
    const numbers = native.numbers(...run);
    readNatively += numbers.length / run[4];
    return numbers;
  },
  varints(...run) {
    const found = native.varints(...run);
    readNatively += found.count;
    return found;
  },
  countStrings(...run) {
    const found = native.countStrings(...run);
    readNatively += found.count;
    return found;
  },
};

/** A byte string, often one that a decoder could change or skip. */
const entry = fc.oneof(
  fc.constantFrom(
    Uint8Array.of(),
    Uint8Array.of(0),
    Uint8Array.of(0xff, 0xfe), // no UTF-8
    Uint8Array.of(0xef, 0xbb, 0xbf, 0x61), // a byte-order mark
    Uint8Array.of(0xed, 0xa0, 0xbd, 0xed, 0xb8, 0x80), // a pair of surrogates (CESU-8)
    Uint8Array.of(0xed, 0xa0, 0x80), // half a pair
    Uint8Array.of(0xc0, 0x80), // an overlong NUL
    Uint8Array.of(0x4a, 0x01, 0x4a), // the tag of the list
    new Uint8Array(200).fill(0x80),
  ),
  fc.uint8Array({ maxLength: 12 }),
);
const integer = fc.oneof(
  fc.nat(300),
  fc.maxSafeNat(),
  fc.integer(),
  fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }),
);

type Write = (writer: BinaryWriter) => void;
const writeStrings = fc.array(entry, { maxLength: 60, size: 'max' }).map(
  (list): Write =>
    (writer) => {
      for (const bytes of list) writer.tag(9, WireType.LengthDelimited).bytes(bytes);
    },
);
const writeFloats = fc.array(fc.float(), { maxLength: 60, size: 'max' }).map(
  (list): Write =>
    (writer) => {
      for (const number of list) writer.tag(7, WireType.Bit32).float(number);
    },
);
const writeInts = fc.array(integer, { maxLength: 60, size: 'max' }).map(
  (list): Write =>
    (writer) => {
      for (const number of list) writer.tag(8, WireType.Varint).int64(number as never);
    },
);
const writeSmallInts = fc.array(fc.integer({ min: -5, max: 2 ** 20 }), { maxLength: 200, size: 'max' }).map(
  (list): Write =>
    (writer) => {
      for (const number of list) writer.tag(8, WireType.Varint).int64(number);
    },
);
const writePackedInts = fc.array(integer, { maxLength: 80, size: 'max' }).map(
  (list): Write =>
    (writer) => {
      writer.tag(8, WireType.LengthDelimited).fork();
      for (const number of list) writer.int64(number as never);
      writer.join();
    },
);
const writePackedFloats = fc.array(fc.float(), { maxLength: 60, size: 'max' }).map(
  (list): Write =>
    (writer) => {
      writer.tag(7, WireType.LengthDelimited).fork();
      for (const number of list) writer.float(number);
      writer.join();
    },
);
const writeTensor = fc.array(fc.double(), { maxLength: 40, size: 'max' }).map(
  (list): Write =>
    (writer) => {
      writer.tag(5, WireType.LengthDelimited).fork();
      for (const number of list) writer.tag(10, WireType.Bit64).double(number);
      writer.join();
    },
);
const name: Write = (writer) => void writer.tag(1, WireType.LengthDelimited).string('lists');

/**
 * Draws models with one attribute. The fields of its lists come in any order, so a run of equal
 * fields may start and end anywhere.
 */
const model = fc
  .array(
    fc.oneof(
      writeStrings,
      writeFloats,
      writeInts,
      writeSmallInts,
      writePackedInts,
      writePackedFloats,
      writeTensor,
      fc.constant(name),
    ),
    { maxLength: 6 },
  )
  .map((fields) => {
    const writer = new BinaryWriter();
    for (const field of [7, 1, 5]) writer.tag(field, WireType.LengthDelimited).fork();
    for (const field of fields) field(writer);
    return writer.join().join().join().finish();
  });

/** Returns all lists of a model, or its error. */
function read(bytes: Uint8Array, functions?: WireFunctions): unknown {
  try {
    const [node] = readModel(bytes, {}, undefined, functions).graph!.node;
    return node?.attribute.map(({ name, floats, ints, strings, t }) => ({
      name,
      floats: [...new Uint32Array(floats.buffer, floats.byteOffset, floats.length)],
      ints: [...ints],
      array: numbersOf(ints),
      strings: Array.from({ length: strings.length }, (_, index) => [...strings.at(index)]),
      texts: strings.texts(),
      doubles: t && [...new BigUint64Array(t.doubleData.buffer, t.doubleData.byteOffset, t.doubleData.length)],
    }));
  } catch (error) {
    return (error as Error).message;
  }
}

function numbersOf(ints: { toArray(at: string): Int32Array | Float64Array }): unknown {
  try {
    return ints.toArray('the list');
  } catch (error) {
    return (error as Error).message;
  }
}

describe.skipIf(addon === undefined)('lists that the addon reads', () => {
  test('are those of the TypeScript reader', () => {
    readNatively = 0;
    fc.assert(
      fc.property(model, (bytes) => {
        expect(read(bytes, wire)).toEqual(read(bytes));
      }),
      parameters,
    );
    expect(readNatively).toBeGreaterThan(1000);
  });

  test('of damaged files are read, or rejected with the same error', () => {
    const damage = fc.array(fc.record({ at: fc.nat(), byte: fc.integer({ min: 0, max: 255 }) }), { maxLength: 4 });
    fc.assert(
      fc.property(model, damage, fc.option(fc.nat()), (bytes, changes, end) => {
        const changed = bytes.slice(0, end === null ? bytes.length : end % (bytes.length + 1));
        for (const { at, byte } of changes) if (changed.length > 0) changed[at % changed.length] = byte;
        expect(read(changed, wire)).toEqual(read(changed));
      }),
      parameters,
    );
  });

  test('have equal identities only if their entries are equal', () => {
    const lists = fc.array(entry, { minLength: 60, maxLength: 80 });
    const written = (entries: readonly Uint8Array[]) => {
      const writer = new BinaryWriter();
      for (const field of [7, 1, 5]) writer.tag(field, WireType.LengthDelimited).fork();
      for (const bytes of entries) writer.tag(9, WireType.LengthDelimited).bytes(bytes);
      const bytes = writer.join().join().join().finish();
      return readModel(bytes, {}, undefined, wire).graph!.node[0]!.attribute[0]!.strings;
    };
    const identity = (entries: readonly Uint8Array[]) =>
      written(entries)
        .identity()
        .map((bytes) => Buffer.from(bytes));
    fc.assert(
      fc.property(lists, lists, (some, others) => {
        expect(identity(some)).toEqual(identity(some.map((bytes) => bytes.slice())));
        const joined = [Buffer.concat(some.slice(0, 2)), ...some.slice(2)];
        expect(identity(joined)).not.toEqual(identity(some));
        const isEqual =
          some.length === others.length && some.every((bytes, index) => !Buffer.compare(bytes, others[index]!));
        if (!isEqual) expect(identity(others)).not.toEqual(identity(some));
      }),
      { ...parameters, numRuns: 50 },
    );
  });

  test('must be inside the bytes: positions, tags and ranges outside are errors', () => {
    const bytes = new Uint8Array(300);
    const argument = expect.objectContaining({ code: 'ERR_NATIVE_ARGUMENT' });
    for (const [at, end] of [
      [-1, 300],
      [0, 301],
      [10, 9],
      [0.5, 300],
      [Number.NaN, 300],
    ] as const) {
      for (const use of [
        () => wire.numbers(bytes, at, end, 0x3d, 4),
        () => wire.varints(bytes, at, end, 0x40),
        () => wire.countStrings(bytes, at, end, 0x4a),
        () => wire.strings(bytes, at, end, 0x4a),
      ])
        expect(use).toThrow(argument);
    }
    expect(() => wire.countStrings(bytes, 0, 300, 0x80)).toThrow(argument);
    expect(() => wire.numbers(bytes, 0, 300, 0x3d, 3 as 4)).toThrow(argument);
    for (const [ranges, count] of [
      [[0, 301], 1],
      [[2 ** 31, 10], 9],
      [[2 ** 31, 10], 11],
      [[2 ** 31, 10], -1],
    ] as const)
      expect(() => wire.integers(bytes, Uint32Array.from(ranges), count)).toThrow(argument);
    expect(wire.integers(bytes, Uint32Array.of(2 ** 31, 10), 10)).toEqual(new Int32Array(10));
    expect(wire.integers(bytes, Uint32Array.of(), 0)).toEqual(new Int32Array(0));
    expect(wire.countStrings(bytes, 300, 300, 0x4a)).toEqual({ count: 0, end: 300 });
    expect(wire.numbers(bytes, 298, 300, 0x3d, 4)).toEqual(new Uint8Array(0));
  });
});
