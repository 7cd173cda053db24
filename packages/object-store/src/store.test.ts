import { MessageChannel, receiveMessageOnPort } from 'node:worker_threads';
import type { ParameterValue } from '@brezel/core';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { untilCollected } from '../../../testing/until.js';
import { seed } from '../../text/test/seed.js';
import { ObjectStore, type ParameterMemory, StoreError, sharedMemory } from './index.js';

const NOTHING = { objects: 0, bytes: 0, references: 0, bytesShared: 0 };
const floats = (...values: number[]): ParameterValue => ({
  dtype: 'float32',
  shape: [values.length],
  data: Float32Array.from(values),
});
const code = (code: string) => expect.objectContaining({ code });

describe('content', () => {
  test('equal content is one object', async () => {
    const store = await ObjectStore.open();
    const [first, second] = [store.put(floats(1, 2)), store.put(floats(1, 2))];
    expect(second).toBe(first);
    expect(store.stats()).toEqual({ objects: 1, bytes: 8, references: 2, bytesShared: 8 });
    expect(store.info(first)).toEqual({ id: first, dtype: 'float32', shape: [2], bytes: 8, references: 2 });
  });

  test('another type, shape, sign of zero or kind is another object', async () => {
    const store = await ObjectStore.open();
    const values: ParameterValue[] = [
      floats(0, 0),
      floats(0, -0),
      floats(0),
      { dtype: 'float32', shape: [2, 1], data: new Float32Array(2) },
      { dtype: 'int32', shape: [2], data: new Int32Array(2) },
      { dtype: 'float64', shape: [1], data: new Float64Array(1) },
      { dtype: 'int64', shape: [1], data: new BigInt64Array(1) },
      { dtype: 'bool', shape: [8], data: new Uint8Array(8) },
      { dtype: 'string', shape: [0], values: [] },
      { dtype: 'string', shape: [1], values: [''] },
    ];
    const ids = new Set([...values.map((value) => store.put(value)), store.putBlob(new Uint8Array(8))]);
    expect(ids.size).toBe(values.length + 1);
    expect(store.stats().objects).toBe(values.length + 1);
  });

  test('NaN equals NaN of the same bits', async () => {
    const store = await ObjectStore.open();
    expect(store.put(floats(Number.NaN))).toBe(store.put(floats(Number.NaN)));
  });

  test('the store copies the array, so the caller may change it later', async () => {
    const store = await ObjectStore.open();
    const data = Float32Array.of(1, 2);
    const id = store.put({ dtype: 'float32', shape: [2], data });
    data[0] = 9;
    expect(store.get(id)).toEqual(floats(1, 2));
    const bytes = Uint8Array.of(1, 2, 3);
    const blob = store.putBlob(bytes);
    bytes[0] = 9;
    expect([...store.bytes(blob)]).toEqual([1, 2, 3]);
  });

  test('a view into a larger buffer, at any offset', async () => {
    const store = await ObjectStore.open();
    const whole = new Uint8Array(20).map((_, at) => at);
    expect(store.putBlob(whole.subarray(3, 9))).toBe(store.putBlob(Uint8Array.of(3, 4, 5, 6, 7, 8)));
    const many = Float32Array.of(9, 1, 2, 9);
    expect(store.put({ dtype: 'float32', shape: [2], data: many.subarray(1, 3) })).toBe(store.put(floats(1, 2)));
  });

  test('values are read as they were stored', async () => {
    const store = await ObjectStore.open();
    const value = fc.oneof(
      fc
        .float32Array({ maxLength: 20 })
        .map((data): ParameterValue => ({ dtype: 'float32', shape: [data.length], data })),
      fc
        .float64Array({ maxLength: 20 })
        .map((data): ParameterValue => ({ dtype: 'float64', shape: [data.length], data })),
      fc
        .bigInt64Array({ maxLength: 20 })
        .map((data): ParameterValue => ({ dtype: 'int64', shape: [1, data.length], data })),
      fc
        .int32Array({ maxLength: 20 })
        .map((data): ParameterValue => ({ dtype: 'int32', shape: [data.length, 1], data })),
      fc.uint8Array({ maxLength: 20 }).map((data): ParameterValue => ({ dtype: 'bool', shape: [data.length], data })),
      fc
        .array(
          fc.string({ unit: 'binary' }).map((text) => text.toWellFormed()),
          { maxLength: 20 },
        )
        .map((values): ParameterValue => ({ dtype: 'string', shape: [values.length], values })),
    );
    fc.assert(
      fc.property(value, (one) => {
        const id = store.put(one);
        expect(store.get(id)).toEqual(one);
        store.release(id);
      }),
      { seed },
    );
    expect(store.stats()).toEqual(NOTHING);
  });

  test('strings: a lone surrogate becomes U+FFFD, and a byte-order mark is unchanged', async () => {
    const store = await ObjectStore.open();
    const id = store.put({ dtype: 'string', shape: [3], values: ['\ud800', '\ufeffa', 'a\0b'] });
    expect(store.get(id)).toEqual({ dtype: 'string', shape: [3], values: ['\ufffd', '\ufeffa', 'a\0b'] });
  });

  test('an invalid shape is rejected, and nothing is stored', async () => {
    const store = await ObjectStore.open();
    for (const shape of [[3], [1], [], [2, 2], [0], [-2], [0.5, 4]]) {
      const put = () => store.put({ dtype: 'float32', shape, data: new Float32Array(2) });
      if (
        shape.reduce((product, size) => product * size, 1) === 2 &&
        shape.every((size) => Number.isInteger(size) && size >= 0)
      )
        put();
      else expect(put, `[${shape}]`).toThrow(code('ERR_STORE_VALUE'));
    }
    expect(() => store.put({ dtype: 'string', shape: [2], values: ['a'] })).toThrow(StoreError);
    expect(store.stats()).toEqual(NOTHING);
  });
});

describe('collisions', () => {
  /** Returns a memory in which all ids collide: every put after the first one finds other bytes. */
  function collidingMemory(): ParameterMemory {
    const memory = sharedMemory();
    return { ...memory, put: (_, bytes) => memory.put('the one id', bytes) };
  }

  test('two contents with one checksum are an error, and the first content stays', async () => {
    const store = await ObjectStore.open({ memory: collidingMemory() });
    const first = store.put(floats(1));
    expect(() => store.put(floats(2))).toThrow(code('ERR_STORE_CHECKSUM'));
    expect(() => store.putBlob(Uint8Array.of(1))).toThrow(code('ERR_STORE_CHECKSUM'));
    expect(store.stats()).toEqual({ objects: 1, bytes: 4, references: 1, bytesShared: 0 });
    expect(store.get(first)).toEqual(floats(1));
    store.release(first);
    expect(store.stats()).toEqual(NOTHING);
    store.release(store.put(floats(2)));
  });

  test('the memory compares every byte', () => {
    const memory = sharedMemory();
    const bytes = new Uint8Array(1000);
    const handle = memory.put('id', bytes);
    for (const at of [0, 1, 15, 16, 500, 999])
      expect(() => memory.put('id', bytes.with(at, 1))).toThrow(code('ERR_STORE_CHECKSUM'));
    expect(() => memory.put('id', bytes.subarray(1))).toThrow(code('ERR_STORE_CHECKSUM'));
    expect(() => memory.put('id', new Uint8Array(1001))).toThrow(code('ERR_STORE_CHECKSUM'));
    expect(memory.put('id', new Uint8Array(1000))).toBe(handle);
  });
});

describe('shared memory', () => {
  test.each([65_535, 65_536, 65_537, 200_001])(
    '%i bytes are not moved, and another thread reads them without a copy',
    (length) => {
      const content = Uint8Array.from({ length }, (_, at) => at * 7 + (at >> 8));
      const memory = sharedMemory();
      const bytes = memory.read(memory.put('id', content));
      expect([bytes.byteOffset, bytes.length, bytes.buffer.byteLength]).toEqual([0, length, length]);
      expect(Buffer.compare(bytes, content)).toBe(0);
      const { port1, port2 } = new MessageChannel();
      port1.postMessage(memory.sharing!.share(memory.put('id', content)));
      const { message } = receiveMessageOnPort(port2) as { message: Uint8Array };
      port1.close();
      const there = sharedMemory();
      const received = there.read(there.sharing!.take('id', message));
      expect(Buffer.compare(received, content)).toBe(0);
      bytes[length - 1] = ~content[length - 1]!;
      expect(received[length - 1]).toBe(bytes[length - 1]);
    },
  );

  test('a large buffer cannot grow', () => {
    const memory = sharedMemory();
    const bytes = memory.read(memory.put('id', new Uint8Array(1 << 20)));
    const buffer = bytes.buffer as SharedArrayBuffer & { grow(length: number): void };
    expect(() => buffer.grow((1 << 20) + 1)).toThrow(RangeError);
  });
});

describe('references', () => {
  test('the last release frees the parameter, and another release is an error', async () => {
    const store = await ObjectStore.open();
    const id = store.put(floats(1, 2, 3));
    store.retain(id);
    store.release(id);
    expect(store.has(id)).toBe(true);
    store.release(id);
    expect(store.has(id)).toBe(false);
    expect(store.stats()).toEqual(NOTHING);
    for (const use of [
      () => store.release(id),
      () => store.retain(id),
      () => store.get(id),
      () => store.bytes(id),
      () => store.info(id),
      () => store.handle(id),
      () => store.lease(id),
    ])
      expect(use).toThrow(code('ERR_STORE_MISSING'));
    expect(store.put(floats(1, 2, 3))).toBe(id);
  });

  test('two stores over one memory have separate references', async () => {
    const memory = sharedMemory();
    const [one, other] = [await ObjectStore.open({ memory }), await ObjectStore.open({ memory })];
    const [id, same] = [one.put(floats(5)), other.put(floats(5))];
    expect(other.handle(same)).toBe(one.handle(id));
    one.release(id);
    expect(other.get(same)).toEqual(floats(5));
    const handle = other.handle(same);
    other.release(same);
    expect(() => memory.read(handle)).toThrow(code('ERR_STORE_MISSING'));
  });

  test('the memory holds one reference per store, for any number of references in the store', async () => {
    const log: string[] = [];
    const memory = sharedMemory();
    const counting: ParameterMemory = {
      ...memory,
      put: (id, bytes) => {
        log.push('put');
        return memory.put(id, bytes);
      },
      release: (handle) => {
        log.push('release');
        memory.release(handle);
      },
    };
    const store = await ObjectStore.open({ memory: counting });
    const ids = [store.put(floats(1)), store.put(floats(1)), store.put(floats(1))];
    for (const id of ids) store.release(id);
    expect(log.filter((entry) => entry === 'put')).toHaveLength(3);
    expect(log.filter((entry) => entry === 'release')).toHaveLength(3);
  });

  test('random puts, retains and releases are counted correctly', async () => {
    const store = await ObjectStore.open();
    const held = new Map<string, number>();
    const step = fc.tuple(fc.constantFrom('put', 'retain', 'release'), fc.nat(5));
    fc.assert(
      fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
        for (const [what, number] of steps) {
          if (what === 'put') {
            const id = store.put(floats(number, number));
            held.set(id, (held.get(id) ?? 0) + 1);
            continue;
          }
          const [id, count] = [...held][number] ?? [];
          if (id === undefined || count === undefined) continue;
          if (what === 'retain') store.retain(id);
          else store.release(id);
          const now = count + (what === 'retain' ? 1 : -1);
          if (now === 0) held.delete(id);
          else held.set(id, now);
        }
        const references = [...held.values()].reduce((sum, count) => sum + count, 0);
        expect(store.stats()).toEqual({
          objects: held.size,
          bytes: 8 * held.size,
          references,
          bytesShared: 8 * (references - held.size),
        });
        for (const [id, count] of held) for (let at = 0; at < count; at++) store.release(id);
        held.clear();
        expect(store.stats()).toEqual(NOTHING);
      }),
      { seed },
    );
  });
});

describe('leases', () => {
  test('release their reference once', async () => {
    const store = await ObjectStore.open();
    const id = store.put(floats(1));
    store.retain(id);
    const lease = store.lease(id);
    lease.release();
    lease.release();
    expect(store.info(id).references).toBe(1);
  });

  test('of several parameters take all references or none, and release all', async () => {
    const store = await ObjectStore.open();
    const ids = [store.put(floats(1)), store.put(floats(2))];
    const lease = store.hold(ids);
    expect(store.stats().references).toBe(4);
    expect(() => store.hold([...ids, 'float32[1]:4:none'])).toThrow(code('ERR_STORE_MISSING'));
    expect(store.stats().references).toBe(4);
    lease.release();
    lease.release();
    expect(store.stats().references).toBe(2);
  });

  test.skipIf(globalThis.gc === undefined)('release their reference when they are garbage collected', async () => {
    const store = await ObjectStore.open();
    (() => {
      for (let at = 0; at < 100; at++) store.lease(store.put(floats(at)));
    })();
    const kept = store.lease(store.put(floats(1000)));
    await untilCollected(() => store.stats().objects === 1);
    expect(store.stats().objects).toBe(1);
    kept.release();
    expect(store.stats()).toEqual(NOTHING);
  });
});

describe('derived parameters', () => {
  test('a range of another parameter equals a parameter with the same elements', async () => {
    const store = await ObjectStore.open();
    const data = Float32Array.from({ length: 100 }, (_, at) => at / 3);
    const whole = store.put({ dtype: 'float32', shape: [100], data });
    const range = store.derive('rows 3..8', () => ({ of: whole, from: 15, shape: [5, 5] }));
    expect(store.put({ dtype: 'float32', shape: [5, 5], data: data.subarray(15, 40) })).toBe(range);
    expect(store.derive('rows 3..8', () => expect.unreachable())).toBe(range);
    expect(store.get(range)).toEqual({ dtype: 'float32', shape: [5, 5], data: data.slice(15, 40) });
    expect(store.info(range).references).toBe(3);
  });

  test('are computed once while a reference exists', async () => {
    const store = await ObjectStore.open();
    let built = 0;
    const build = () => {
      built++;
      return floats(7);
    };
    const [first, second] = [store.derive('f of a', build), store.derive('f of a', build)];
    expect([second, built]).toEqual([first, 1]);
    expect(store.info(first).references).toBe(2);
    store.release(first);
    store.release(second);
    expect(store.stats()).toEqual(NOTHING);
    store.release(store.derive('f of a', build));
    expect(built).toBe(2);
    expect(store.stats()).toEqual(NOTHING);
  });

  test('two keys with equal results are one object, and outlive each other', async () => {
    const store = await ObjectStore.open();
    const one = store.derive('one', () => Uint8Array.of(1, 2));
    const other = store.derive('other', () => Uint8Array.of(1, 2));
    expect(other).toBe(one);
    store.release(one);
    const again = store.derive('one', () => {
      throw new Error('is still there');
    });
    store.release(again);
    store.release(other);
    expect(store.stats()).toEqual(NOTHING);
    expect(() =>
      store.derive('one', () => {
        throw new Error('gone');
      }),
    ).toThrow('gone');
    expect(store.stats()).toEqual(NOTHING);
  });

  test('a result that equals a stored parameter is shared with it', async () => {
    const store = await ObjectStore.open();
    const id = store.put(floats(1, 2));
    expect(store.derive('f', () => floats(1, 2))).toBe(id);
    expect(store.stats()).toEqual({ objects: 1, bytes: 8, references: 2, bytesShared: 8 });
  });

  test('a blob has bytes and no value', async () => {
    const store = await ObjectStore.open();
    const id = store.putBlob(Uint8Array.of(1, 2, 3));
    expect(store.info(id)).toMatchObject({ dtype: 'blob', shape: [3], bytes: 3 });
    expect(() => store.get(id)).toThrow(code('ERR_INTERNAL'));
  });
});
