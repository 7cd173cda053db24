import { closeSync, mkdtempSync, openSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import { Checksum } from '@brezel/object-store';
import { afterAll, describe, expect, it } from 'vitest';
import { seed as SEED } from '../../testing/seed.js';
import { Random } from './blobs.js';
import { addon, codeOf } from './harness.js';

const random = new Random(SEED);
const folder = mkdtempSync(join(tmpdir(), 'brezel-files-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
const path = (name: string) => join(folder, name);

const randomBytes = (length: number) => Buffer.from(Array.from({ length }, () => random.below(256)));

/** Maps a file with this content. */
function map(content: Uint8Array, { name = 'file', claimed = content.length } = {}): number {
  writeFileSync(path(name), content);
  const descriptor = openSync(path(name), 'r');
  try {
    return addon.fileMap!(descriptor, claimed);
  } finally {
    closeSync(descriptor);
  }
}

describe.skipIf(addon.fileMap === undefined)('files', () => {
  it('checksums equal those of the object store, for every length and offset', async () => {
    const checksum = await Checksum.create();
    const bytes = randomBytes(100_000);
    const file = map(bytes);
    const lengths = [...Array.from({ length: 200 }, (_, length) => length), 16383, 16384, 16385, 65_600, 99_000];
    for (const length of lengths) {
      const offset = random.below(bytes.length - length + 1);
      const expected = checksum.of(bytes.subarray(offset, offset + length));
      expect(addon.fileChecksum!(file, offset, length), `${length} bytes from ${offset}`).toBe(expected);
    }
    addon.fileRelease!(file);
  });

  it('fileIsZero detects zeros', () => {
    const bytes = Buffer.alloc(1000);
    bytes[500] = 1;
    const file = map(bytes);
    expect(addon.fileIsZero!(file, 0, 500)).toBe(true);
    expect(addon.fileIsZero!(file, 0, 501)).toBe(false);
    expect(addon.fileIsZero!(file, 501, 499)).toBe(true);
    expect(addon.fileIsZero!(file, 1000, 0)).toBe(true);
    addon.fileRelease!(file);
  });

  it('touch reads every page in the background and holds the mapping', async () => {
    const file = map(randomBytes(100_000));
    const touched = [
      addon.fileTouch!(file, 0, 100_000),
      addon.fileTouch!(file, 99_999, 1),
      addon.fileTouch!(file, 5, 0),
    ];
    expect(codeOf(() => addon.fileTouch!(file, 99_999, 2))).toBe('ERR_NATIVE_ARGUMENT');
    addon.fileRelease!(file);
    expect(codeOf(() => addon.fileTouch!(file, 0, 1))).toBe('ERR_NATIVE_HANDLE');
    expect(await Promise.all(touched)).toEqual([undefined, undefined, undefined]);
  });

  it('parameters are not copied, are shared by id, and outlive the file handle', () => {
    const before = addon.parameterStats();
    const bytes = randomBytes(4096);
    const file = map(bytes);
    const mapped = addon.fileParameter!(file, 64, 1000, 'file/a', true);
    expect(addon.fileParameter!(file, 64, 1000, 'file/a', true)).toBe(mapped);
    const put = addon.parameterPut('file/b', bytes.subarray(128, 192));
    expect(addon.fileParameter!(file, 128, 64, 'file/b', true)).toBe(put);
    expect(addon.parameterPut('file/a', bytes.subarray(64, 1064))).toBe(mapped);
    expect(addon.parameterStats()).toEqual({ objects: before.objects + 2, bytes: before.bytes + 1064 });
    addon.fileRelease!(file);
    // a rename replaces the file, so the mapped content does not change
    writeFileSync(path('newer'), Buffer.alloc(1));
    renameSync(path('newer'), path('file'));
    expect(Buffer.from(addon.parameterCopy(mapped)).equals(bytes.subarray(64, 1064))).toBe(true);
    for (const handle of [mapped, mapped, mapped, put, put]) addon.parameterRelease(handle);
    expect(addon.parameterStats()).toEqual(before);
    expect(codeOf(() => addon.parameterCopy(mapped))).toBe('ERR_NATIVE_HANDLE');
  });

  it('other bytes under an id are an error if they are compared; another length is always an error', () => {
    const file = map(Buffer.concat([Buffer.alloc(64, 1), Buffer.alloc(64, 2), Buffer.alloc(128)]));
    const first = addon.fileParameter!(file, 0, 64, 'file/c', true);
    expect(codeOf(() => addon.fileParameter!(file, 64, 64, 'file/c', true))).toBe('ERR_NATIVE_PARAMETER');
    expect(codeOf(() => addon.fileParameter!(file, 64, 63, 'file/c', false))).toBe('ERR_NATIVE_PARAMETER');
    expect(addon.fileParameter!(file, 64, 64, 'file/c', false)).toBe(first);
    for (let times = 0; times < 2; times++) addon.parameterRelease(first);
    addon.fileRelease!(file);
  });

  it('rejects ranges outside the file, and invalid files', () => {
    const file = map(Buffer.alloc(256));
    const parameter = (offset: number, length: number) =>
      codeOf(() => addon.parameterRelease(addon.fileParameter!(file, offset, length, 'file/d', true)));
    expect(parameter(128, 64)).toBeUndefined();
    expect(parameter(192, 0)).toBeUndefined();
    for (const [offset, length] of [
      [128, 65], // 64 bytes of the file must follow the parameter
      [256, 0],
      [192, 64],
      [64, 2 ** 53],
      [2 ** 53, 0],
      [-64, 64],
      [0, -1],
      [32, 64],
      [0.5, 1],
      [0, 0.5],
      [Number.NaN, 1],
      [0, Number.POSITIVE_INFINITY],
    ] as const)
      expect(parameter(offset, length), `${offset}, ${length}`).toBe('ERR_NATIVE_ARGUMENT');
    expect(codeOf(() => addon.fileChecksum!(file, 0, 257))).toBe('ERR_NATIVE_ARGUMENT');
    expect(codeOf(() => addon.fileIsZero!(file, 257, 0))).toBe('ERR_NATIVE_ARGUMENT');
    expect(codeOf(() => addon.fileParameter!(file, 0, 1, '', true))).toBe('ERR_NATIVE_ARGUMENT');
    addon.fileRelease!(file);

    expect(codeOf(() => map(Buffer.alloc(100), { claimed: 101 }))).toBe('ERR_NATIVE_ARGUMENT');
    expect(codeOf(() => map(Buffer.alloc(0)))).toBe('ERR_NATIVE_ARGUMENT');
    const directory = openSync(folder, 'r');
    expect(codeOf(() => addon.fileMap!(directory, 4096))).toBe('ERR_NATIVE_ARGUMENT');
    closeSync(directory);
    for (const descriptor of [-1, 2 ** 31, 1.5e9, Number.NaN, '1'])
      expect(codeOf(() => addon.fileMap!(descriptor as number, 10))).toBe('ERR_NATIVE_ARGUMENT');
  });

  it('stale handles are errors', () => {
    const file = map(Buffer.alloc(256));
    addon.fileRelease!(file);
    const next = map(Buffer.alloc(256));
    expect(next).not.toBe(file);
    const parameter = addon.parameterPut('file/e', Buffer.alloc(8));
    for (const handle of [file, 0, -1, 0.5, Number.NaN, 2 ** 60, parameter]) {
      expect(codeOf(() => addon.fileChecksum!(handle, 0, 1))).toBe('ERR_NATIVE_HANDLE');
      expect(codeOf(() => addon.fileIsZero!(handle, 0, 1))).toBe('ERR_NATIVE_HANDLE');
      expect(codeOf(() => addon.fileParameter!(handle, 0, 1, 'file/f', true))).toBe('ERR_NATIVE_HANDLE');
      expect(codeOf(() => addon.fileRelease!(handle))).toBe('ERR_NATIVE_HANDLE');
    }
    expect(codeOf(() => addon.parameterCopy(next))).toBe('ERR_NATIVE_HANDLE');
    addon.parameterRelease(parameter);
    addon.fileRelease!(next);
  });

  it('threads share parameters, and the parameters of a thread are freed when it ends', async () => {
    const before = addon.parameterStats();
    const bytes = randomBytes(1 << 16);
    const file = map(bytes);
    const handle = addon.fileParameter!(file, 0, 4096, 'file/g', true);
    const source = `
      const { parentPort, workerData } = require('node:worker_threads');
      const { openSync } = require('node:fs');
      const { addon } = require(workerData.loader);
      const own = addon.fileMap(openSync(workerData.path, 'r'), workerData.bytes);
      const shared = addon.fileParameter(own, 0, 4096, 'file/g', true);
      const left = addon.fileParameter(own, 8192, 4096, 'file/h', true);
      parentPort.postMessage({ shared, left, sum: addon.fileChecksum(own, 8192, 4096) });`;
    const workerData = { loader: join(import.meta.dirname, '../index.cjs'), path: path('file'), bytes: bytes.length };
    const worker = () =>
      new Promise<{ shared: number; sum: string }>((resolve, reject) => {
        let message: { shared: number; sum: string };
        new Worker(source, { eval: true, workerData })
          .on('message', (one) => (message = one))
          .on('error', reject)
          .on('exit', () => resolve(message));
      });
    const answers = await Promise.all([worker(), worker(), worker()]);
    for (const { shared, sum } of answers) {
      expect(shared).toBe(handle);
      expect(sum).toBe(addon.fileChecksum!(file, 8192, 4096));
    }
    expect(addon.parameterStats()).toEqual({ objects: before.objects + 1, bytes: before.bytes + 4096 });
    addon.fileRelease!(file);
    addon.parameterRelease(handle);
    expect(addon.parameterStats()).toEqual(before);
  });
});
