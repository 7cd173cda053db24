import { chmodSync, mkdirSync, mkdtempSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { checkedFolder } from './folder.js';

const parent = mkdtempSync(join(tmpdir(), 'code-cache-folder-'));

afterEach(() => vi.restoreAllMocks());

describe('the folder of a code cache', () => {
  it('is created for this user alone', () => {
    const path = join(parent, 'new', 'folder');
    expect(checkedFolder(path)).toEqual({ path });
    expect(statSync(path).mode & 0o777).toBe(0o700);
  });

  it.each([0o777, 0o750, 0o701])('is rejected if others can use it: %o', (mode) => {
    const path = join(parent, `mode-${mode}`);
    mkdirSync(path);
    chmodSync(path, mode);
    expect(checkedFolder(path)).toEqual({
      reason: `${path} has mode ${mode.toString(8)}, expected 700: run chmod 700`,
    });
  });

  it('is rejected if it is a symbolic link or a file', () => {
    const link = join(parent, 'link');
    symlinkSync(mkdtempSync(join(parent, 'target-')), link);
    expect(checkedFolder(link)).toEqual({ reason: `${link} is a symbolic link` });
    const file = join(parent, 'file');
    writeFileSync(file, '', { mode: 0o600 });
    expect(checkedFolder(file)).toEqual({ reason: expect.stringContaining('EEXIST') });
  });

  it('is rejected if it belongs to another user', () => {
    const path = mkdtempSync(join(parent, 'owner-'));
    const owner = process.geteuid!();
    vi.spyOn(process, 'geteuid').mockReturnValue(owner + 1);
    expect(checkedFolder(path)).toEqual({
      reason: `${path} belongs to user ${owner}, this process runs as user ${owner + 1}`,
    });
  });
});
