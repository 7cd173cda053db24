import { chmodSync, mkdtempSync, readdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { readCache, writeCache } from './cache-file.js';

const folder = mkdtempSync(join(tmpdir(), 'code-cache-file-'));
const codes = [
  { name: 'one.cjs', source: '10-1', code: Buffer.from('compiled code of one') },
  { name: 'two.cjs', source: '20-2', code: Buffer.alloc(0) },
];

function written(name: string): string {
  const path = join(folder, name);
  writeCache(path, codes);
  return path;
}

afterEach(() => vi.restoreAllMocks());

describe('the file of a code cache', () => {
  it('contains what was written, and only this user can read it', () => {
    const path = written('whole');
    expect(readCache(path)).toEqual(codes);
    expect(statSync(path).mode & 0o777).toBe(0o600);
    writeCache(path, codes.slice(1));
    expect(readCache(path)).toEqual(codes.slice(1));
    expect(readdirSync(folder).filter((name) => name.endsWith('.tmp'))).toEqual([]);
  });

  it('is ignored if it is missing, truncated or damaged', () => {
    expect(readCache(join(folder, 'missing'))).toBeUndefined();
    const path = written('damaged');
    const whole = readFileSync(path);
    for (let length = 0; length < whole.length; length++) {
      writeFileSync(path, whole.subarray(0, length));
      expect(readCache(path), `${length} bytes`).toBeUndefined();
    }
    fc.assert(
      fc.property(fc.nat(whole.length - 1), fc.integer({ min: 1, max: 255 }), (at, change) => {
        const damaged = Buffer.from(whole);
        damaged[at]! ^= change;
        writeFileSync(path, damaged);
        expect(readCache(path)).toBeUndefined();
      }),
    );
  });

  it('is ignored if another user could have written it', () => {
    const path = written('modes');
    for (const mode of [0o620, 0o602, 0o666]) {
      chmodSync(path, mode);
      expect(readCache(path), mode.toString(8)).toBeUndefined();
    }
    chmodSync(path, 0o644);
    expect(readCache(path)).toEqual(codes);
    vi.spyOn(process, 'geteuid').mockReturnValue(process.geteuid!() + 1);
    expect(readCache(path)).toBeUndefined();
  });

  it('is ignored if it is a symbolic link or a folder', () => {
    const link = join(folder, 'link');
    symlinkSync(written('target'), link);
    expect(readCache(link)).toBeUndefined();
    expect(readCache(folder)).toBeUndefined();
  });
});
