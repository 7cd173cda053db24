import { afterEach, describe, expect, it } from 'vitest';
import { Checksum } from '../../packages/object-store/src/checksum.js';
import { addon, codeOf, isas, Program } from './harness.js';
import { smallModel } from './small-model.js';

// The memory use of sanitizers disturbs tests that measure memory.
const isSanitized = process.env.LD_PRELOAD?.includes('asan') ?? false;
const isa = isas.at(-1)!;

let program = new Program();
afterEach(() => {
  program.free();
  program = new Program();
});

describe('parameters', () => {
  it('have the checksum that the object store computes', async () => {
    const checksum = await Checksum.create();
    for (const length of [0, 1, 3, 4, 7, 8, 31, 32, 33, 63, 64, 65, 1000, 16_383, 16_384, 16_385, 100_000]) {
      const bytes = Uint8Array.from({ length }, (_, at) => (at * 167 + length) % 251);
      expect(addon.parameterChecksum(bytes)).toBe(checksum.of(bytes));
      if (length > 4) expect(addon.parameterChecksum(bytes.subarray(3))).toBe(checksum.of(bytes.subarray(3)));
    }
    expect(addon.parameterChecksum(Float64Array.of(1, 2))).toBe(
      checksum.of(new Uint8Array(Float64Array.of(1, 2).buffer)),
    );
    expect(codeOf(() => addon.parameterChecksum('text' as never))).toBe('ERR_NATIVE_ARGUMENT');
  });

  it('are stored once, and their memory is returned to the system', () => {
    const before = addon.parameterStats();
    const bytes = new Uint8Array(64 << 20).fill(7);
    const first = addon.parameterPut('test/large', bytes);
    const second = addon.parameterPut('test/large', bytes);
    expect(second).toBe(first);
    expect(addon.parameterStats()).toEqual({ objects: before.objects + 1, bytes: before.bytes + bytes.length });
    expect(codeOf(() => addon.parameterPut('test/large', bytes.slice(1)))).toBe('ERR_NATIVE_PARAMETER');
    expect(codeOf(() => addon.parameterPut('test/large', new Uint8Array(64 << 20)))).toBe('ERR_NATIVE_PARAMETER');
    expect(addon.parameterCopy(first).subarray(0, 3)).toEqual(Uint8Array.of(7, 7, 7));
    addon.parameterRelease(first);
    expect(addon.parameterStats().objects).toBe(before.objects + 1);
    const resident = process.memoryUsage.rss();
    addon.parameterRelease(second);
    expect(addon.parameterStats()).toEqual(before);
    if (!isSanitized) expect(resident - process.memoryUsage.rss()).toBeGreaterThan(60 << 20);
    const empty = addon.parameterPut('test/empty', new Float32Array(0));
    expect(addon.parameterCopy(empty).length).toBe(0);
    addon.parameterRelease(empty);
  });

  it('can be ranges of other parameters', () => {
    const before = addon.parameterStats();
    const bytes = Uint8Array.from({ length: 1000 }, (_, at) => at % 251);
    const whole = addon.parameterPut('test/whole', bytes);
    for (const [from, length] of [
      [0, 1000],
      [1, 999],
      [300, 64],
      [1000, 0],
    ] as const) {
      const part = addon.parameterPutRange(whole, from, length, `test/part ${from}`);
      expect([...addon.parameterCopy(part)]).toEqual([...bytes.subarray(from, from + length)]);
      expect(addon.parameterRangeChecksum(whole, from, length)).toBe(
        addon.parameterChecksum(bytes.subarray(from, from + length)),
      );
      expect(addon.parameterPut(`test/part ${from}`, bytes.subarray(from, from + length))).toBe(part);
      addon.parameterRelease(part);
      addon.parameterRelease(part);
    }
    for (const [from, length] of [
      [0, 1001],
      [1000, 1],
      [-1, 2],
      [0.5, 1],
      [Number.NaN, 1],
    ] as const) {
      expect(codeOf(() => addon.parameterRangeChecksum(whole, from, length))).toBe('ERR_NATIVE_ARGUMENT');
      expect(codeOf(() => addon.parameterPutRange(whole, from, length, 'test/none'))).toBe('ERR_NATIVE_ARGUMENT');
    }
    expect(codeOf(() => addon.parameterPutRange(whole, 0, 1, ''))).toBe('ERR_NATIVE_ARGUMENT');
    const other = addon.parameterPut('test/other', bytes.subarray(1));
    expect(codeOf(() => addon.parameterPutRange(whole, 0, 999, 'test/other'))).toBe('ERR_NATIVE_PARAMETER');
    addon.parameterRelease(other);
    addon.parameterRelease(whole);
    expect(codeOf(() => addon.parameterRangeChecksum(whole, 0, 1))).toBe('ERR_NATIVE_HANDLE');
    expect(addon.parameterStats()).toEqual(before);
  });

  it('are not copied if their range is long, and hold the whole parameter', () => {
    const before = addon.parameterStats();
    const bytes = new Uint8Array(64 << 20).fill(7);
    bytes.set([1, 2, 3], 4);
    const whole = addon.parameterPut('test/long whole', bytes);
    const resident = process.memoryUsage.rss();
    const part = addon.parameterPutRange(whole, 4, 60 << 20, 'test/long part');
    const inner = addon.parameterPutRange(part, 0, 30 << 20, 'test/part of a part');
    if (!isSanitized) expect(process.memoryUsage.rss() - resident).toBeLessThan(20 << 20);
    addon.parameterRelease(whole);
    addon.parameterRelease(part);
    expect(addon.parameterStats()).toEqual({ objects: before.objects + 1, bytes: before.bytes + (30 << 20) });
    const copy = addon.parameterCopy(inner);
    expect([copy.length, ...copy.subarray(0, 4), copy.at(-1)]).toEqual([30 << 20, 1, 2, 3, 7, 7]);
    const held = process.memoryUsage.rss();
    addon.parameterRelease(inner);
    if (!isSanitized) expect(held - process.memoryUsage.rss()).toBeGreaterThan(60 << 20);
    expect(addon.parameterStats()).toEqual(before);
  });

  it('stay while a stage uses them', () => {
    const before = addon.parameterStats();
    const plan = smallModel(program).plan(isa);
    for (const handle of program.parameters) {
      addon.parameterRetain(handle);
      addon.parameterRelease(handle);
    }
    const out = new Float64Array(1);
    const copies = [...program.parameters];
    for (const handle of copies) addon.parameterRelease(handle); // the plan's references remain
    addon.predictText(plan, 'good', out);
    expect(out[0]).toBe(1.5);
    addon.planRelease(plan);
    expect(addon.parameterStats()).toEqual(before);
    program = new Program(); // everything is released already
  });
});
