import { BinaryWriter, WireType } from '@bufbuild/protobuf/wire';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { smallModel } from '../../test/proto/models.js';
import { seed } from '../../test/seed.js';
import { OnnxError } from '../errors.js';
import { IntList } from './int-list.js';
import { makeGraph, makeModel, makeNode } from './make.js';
import { readModel, readTensorProto } from './read.js';
import { writeModel } from './write.js';

type Write = (writer: BinaryWriter) => BinaryWriter;

const encode = (write: Write) => write(new BinaryWriter()).finish();
const nest =
  (field: number, body: Write): Write =>
  (writer) =>
    body(writer.tag(field, WireType.LengthDelimited).fork()).join();
/** A model whose graph's only node has the fields that `body` writes. */
const modelWithNode = (body: Write) => encode(nest(7, nest(1, body)));
const latin1 = (text: string) => Uint8Array.from(Buffer.from(text, 'latin1'));

function failure(run: () => unknown): OnnxError {
  try {
    run();
  } catch (error) {
    expect(error).toBeInstanceOf(OnnxError);
    return error as OnnxError;
  }
  throw new Error('nothing was thrown');
}

const failureOf = (bytes: Uint8Array, limits = {}) => failure(() => readModel(bytes, limits));

describe('files that are not models', () => {
  test.each<[string, Uint8Array, RegExp]>([
    ['an empty file', new Uint8Array(0), /the file is empty/],
    ['a model without a graph', encode((writer) => writer.tag(1, WireType.Varint).int64(8)), /no graph/],
    ['plain text', latin1('hello, this is not a model\n'), /not a valid ONNX model/],
    ['a PNG image', latin1('\x89PNG\r\n\x1a\n\0\0\0\rIHDR'), /received a PNG image/],
    ['a zip archive', latin1('PK\x03\x04\x14\0\0\0'), /received a zip archive/],
    ['a Git LFS pointer', latin1('version https://git-lfs.github.com/spec/v1\noid'), /received a Git LFS pointer/],
    ['JSON', latin1('{"learner":{}}'), /received JSON/],
    ['zeros', new Uint8Array(100), /illegal tag/],
  ])('%s', (_, bytes, message) => {
    const error = failureOf(bytes);
    expect(error.code).toBe('ERR_ONNX_FORMAT');
    expect(error.message).toMatch(message);
  });
});

describe('damaged files', () => {
  const name =
    (bytes: Uint8Array): Write =>
    (writer) =>
      writer.tag(3, WireType.LengthDelimited).bytes(bytes);
  test.each<[string, Uint8Array, RegExp]>([
    [
      'a length beyond the message',
      modelWithNode((w) => w.tag(3, 2).uint32(99)),
      /length of 99 bytes where 0 are left/,
    ],
    ['a length beyond 32 bits', modelWithNode((w) => w.tag(3, 2).uint64(2n ** 40n)), /over 32 bits/],
    ['a wrong wire type', modelWithNode((w) => w.tag(3, WireType.Varint).uint32(1)), /wire type Varint/],
    ['a group', modelWithNode((w) => w.tag(99, WireType.StartGroup).tag(99, WireType.EndGroup)), /a group/],
    ['a stray end of a group', modelWithNode((w) => w.tag(99, WireType.EndGroup)), /a group/],
    ['field number zero', modelWithNode((w) => w.uint32(2)), /illegal tag/],
    ['a name that is not UTF-8', modelWithNode(name(Uint8Array.of(0x61, 0xff))), /not UTF-8/],
    ['a lone surrogate in a name', modelWithNode(name(Uint8Array.of(0xed, 0xa0, 0x80))), /not UTF-8/],
    ['two graphs', encode((w) => nest(7, (g) => g)(nest(7, (g) => g)(w))), /given twice/],
    [
      'an overlong varint',
      encode((w) => w.tag(5, WireType.Varint).raw(new Uint8Array(11).fill(0xff))),
      /invalid varint/,
    ],
    [
      'an overlong varint in an unknown field',
      encode((w) => w.tag(99, WireType.Varint).raw(new Uint8Array(11).fill(0xff))),
      /invalid varint/,
    ],
    ['an unsafe opset', encode(nest(8, (w) => w.tag(2, WireType.Varint).int64(2n ** 60n))), /beyond 2\^53/],
    [
      'a varint across the end of its message',
      encode((w) =>
        nest(7, (g) => nest(1, (n) => n.tag(99, 0).raw(Uint8Array.of(0x80)))(g))(w)
          .tag(1, 0)
          .int64(1),
      ),
      /overruns its NodeProto/,
    ],
  ])('%s', (_, bytes, message) => {
    const error = failureOf(bytes);
    expect(error.code).toBe('ERR_ONNX_FORMAT');
    expect(error.message).toMatch(message);
  });

  test('lists that end inside a number', () => {
    const packed = (field: number, bytes: Uint8Array) =>
      failure(() => readTensorProto(encode((w) => w.tag(field, WireType.LengthDelimited).bytes(bytes))));
    expect(packed(4, new Uint8Array(7)).message).toMatch(/ends inside a number/);
    expect(packed(10, new Uint8Array(12)).message).toMatch(/ends inside a number/);
    expect(packed(7, Uint8Array.of(1, 2, 0x80)).message).toMatch(/ends inside a number/);
  });

  test('the error names the byte and the message', () => {
    const bytes = encode(
      nest(7, (w) => nest(1, (n) => n)(nest(1, (n) => n.tag(5, 2).uint32(50))(nest(1, (n) => n)(w)))),
    );
    expect(failureOf(bytes).details.at).toBe('byte 8 in graph.node[1].attribute');
  });

  test('a truncated model is an ERR_ONNX error or a shorter model', () => {
    const bytes = writeModel(smallModel());
    for (let size = 0; size < bytes.length; size++) {
      try {
        readModel(bytes.subarray(0, size));
      } catch (error) {
        expect(error, `cut to ${size}`).toBeInstanceOf(OnnxError);
      }
    }
  });
});

describe('limits', () => {
  const deep = (levels: number): Write => (levels === 0 ? (w) => w : nest(6, nest(1, nest(5, deep(levels - 1)))));

  test('nesting', () => {
    const error = failureOf(encode(nest(7, nest(1, nest(5, deep(30))))));
    expect(error.code).toBe('ERR_ONNX_LIMIT');
    expect(error.message).toMatch(/the limit 'depth' is 64/);
  });

  test('objects: messages of two bytes must not become gigabytes', () => {
    const error = failureOf(modelWithNode((w) => w.raw(new Uint8Array(2_200_000).map((_, at) => (at % 2 ? 0 : 0x2a)))));
    expect(error.code).toBe('ERR_ONNX_LIMIT');
    expect(error.message).toMatch(/the limit 'items' is 1000000/);
  });

  test('text size', () => {
    expect(failureOf(writeModel(smallModel()), { textBytes: 4 }).message).toMatch(
      /a text of 6 bytes, the limit 'textBytes' is 4/,
    );
  });

  test('file size', () => {
    expect(failureOf(writeModel(smallModel()), { fileBytes: 10 }).message).toMatch(/the limit 'fileBytes' is 10/);
  });
});

describe('encodings that protobuf allows', () => {
  test('packed and unpacked lists, mixed and interleaved', () => {
    const tensor = readTensorProto(
      encode((w) => {
        w.tag(4, WireType.LengthDelimited).fork().float(1).float(2).join();
        w.tag(1, WireType.Varint).int64(5);
        w.tag(4, WireType.Bit32).float(3).tag(4, WireType.Bit32).float(4);
        w.tag(7, WireType.Varint)
          .int64(-1)
          .tag(7, WireType.LengthDelimited)
          .fork()
          .int64(2n ** 62n)
          .int64(127)
          .join();
        w.tag(5, WireType.Varint).int32(-7).tag(5, WireType.LengthDelimited).fork().int32(300).join();
        w.tag(10, WireType.Bit64)
          .double(0.1)
          .tag(11, WireType.Varint)
          .uint64(2n ** 64n - 1n);
        return w.tag(1, WireType.LengthDelimited).fork().int64(6).int64(-1).join();
      }),
    );
    expect(tensor.dims).toEqual([5, 6, -1]);
    expect(tensor.floatData).toEqual(Float32Array.of(1, 2, 3, 4));
    expect(tensor.int64Data).toEqual(BigInt64Array.of(-1n, 2n ** 62n, 127n));
    expect(tensor.int32Data).toEqual(Int32Array.of(-7, 300));
    expect(tensor.doubleData).toEqual(Float64Array.of(0.1));
    expect(tensor.uint64Data).toEqual(BigUint64Array.of(2n ** 64n - 1n));
  });

  test('unknown fields are skipped', () => {
    const model = readModel(
      modelWithNode((w) => {
        w.tag(50, WireType.Varint).int64(-1).tag(51, WireType.Bit32).float(1).tag(52, WireType.Bit64).double(1);
        return w.tag(53, WireType.LengthDelimited).string('new').tag(4, WireType.LengthDelimited).string('Add');
      }),
    );
    expect(model.graph!.node[0]!.opType).toBe('Add');
  });

  test('names keep U+FFFD, a byte-order mark and NUL; long ones too', () => {
    const names = ['\uFFFD', '\uFEFFx', 'a\0b', `${'long '.repeat(50)}\uFFFD`];
    const model = readModel(writeModel(makeModel(makeGraph({ node: [makeNode('Add', names, [])] }))));
    expect(model.graph!.node[0]!.input).toEqual(names);
  });

  test('a Buffer inside a larger buffer', () => {
    const bytes = writeModel(smallModel());
    const padded = Buffer.concat([Buffer.from('xyz'), bytes, Buffer.from('tail')]).subarray(3, 3 + bytes.length);
    expect(writeModel(readModel(padded))).toEqual(bytes);
  });

  test('strings of attributes are decoded only when they are read', () => {
    const strings = ['naïve', '', Uint8Array.of(0x61, 0xff)];
    const model = makeModel(makeGraph({ node: [makeNode('X', [], [], { strings: { strings } })] }));
    const list = readModel(writeModel(model)).graph!.node[0]!.attribute[0]!.strings;
    expect(list.texts()).toEqual(['naïve', '', 'a\uFFFD']);
    expect([...list.at(2)]).toEqual([0x61, 0xff]);
  });

  test('integers of attributes: packed, with tags, interleaved, of every width', () => {
    const bytes = modelWithNode(
      nest(5, (w) => {
        w.tag(8, WireType.Varint).int64(1).tag(8, WireType.Varint).int64(-1).tag(8, WireType.Varint).int64(300);
        w.tag(8, WireType.LengthDelimited)
          .fork()
          .int64(7)
          .int64(-(2 ** 31))
          .int64(2 ** 31 - 1)
          .join();
        w.tag(1, WireType.LengthDelimited).string('list').tag(8, WireType.LengthDelimited).fork().join();
        return w
          .tag(8, WireType.Varint)
          .int64(2 ** 28)
          .tag(8, WireType.Varint)
          .raw(Uint8Array.of(0x85, 0x80, 0x00));
      }),
    );
    const { ints } = readModel(bytes).graph!.node[0]!.attribute[0]!;
    expect(ints.toArray('list')).toEqual(Int32Array.of(1, -1, 300, 7, -(2 ** 31), 2 ** 31 - 1, 2 ** 28, 5));
    expect([...ints]).toEqual([1n, -1n, 300n, 7n, -(2n ** 31n), 2n ** 31n - 1n, 2n ** 28n, 5n]);
  });

  test('integers of attributes are read as they were written', () => {
    const edge = fc.constantFrom(0n, 127n, 128n, 2n ** 28n, 2n ** 31n, 2n ** 32n, 2n ** 35n, 2n ** 56n, 2n ** 63n - 1n);
    const int64 = fc.oneof(
      fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }),
      fc.tuple(edge, fc.bigInt({ min: -2n, max: 0n })).map(([one, shift]) => one + shift),
    );
    fc.assert(
      fc.property(fc.array(int64), (values) => {
        const model = makeModel(makeGraph({ node: [makeNode('X', [], [], { list: { ints: values } })] }));
        const { ints } = readModel(writeModel(model)).graph!.node[0]!.attribute[0]!;
        expect([...ints]).toEqual(values);
        const numbers = values.map(Number);
        if (numbers.every(Number.isSafeInteger)) expect([...ints.toArray('list')]).toEqual(numbers);
        else expect(() => ints.toArray('list')).toThrow(/below 2\^53/);
      }),
      { numRuns: 1000, seed },
    );
  });

  test('an integer of an attribute that is cut off or too long', () => {
    const list = (bytes: number[]) => modelWithNode(nest(5, (w) => w.tag(8, 0).raw(Uint8Array.from(bytes))));
    expect(failureOf(list([1, 0x40, 0x80])).message).toMatch(/ends inside a number/);
    expect(failureOf(list([...new Array<number>(10).fill(0x80), 0])).message).toMatch(/invalid varint/);
    const packed = modelWithNode(nest(5, (w) => w.tag(8, WireType.LengthDelimited).bytes(Uint8Array.of(1, 0x80))));
    expect(failureOf(packed).message).toMatch(/ends inside a number/);
  });

  test('integers that a number cannot represent are rejected', () => {
    expect(IntList.of([-1n, 2n ** 53n - 1n]).toArray('ints')).toEqual(Float64Array.of(-1, 2 ** 53 - 1));
    const error = failure(() => IntList.of([2n ** 53n]).toArray('axes of Squeeze'));
    expect(error.code).toBe('ERR_ONNX_ATTRIBUTE');
    expect(error.message).toBe('expected an integer below 2^53 at axes of Squeeze, received 9007199254740992');
  });
});
