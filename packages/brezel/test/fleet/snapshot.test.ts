import { spawn, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  chmodSync,
  copyFileSync,
  linkSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { writeCachedFile } from '@brezel/fleet-file';
import { BrezelError, createRuntime, type OpenOptions, openFleet, openStore } from 'brezel';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { stores, temporaryFolder } from './folder.js';
import { packAnswer } from './large-fleet.js';

const files = temporaryFolder();
const { XDG_CACHE_HOME } = process.env;
const large = files.path('large.brezel');
const small = files.path('small.brezel');
const cache = files.path('cache/brezel');

beforeAll(async () => {
  await packAnswer(large, 1);
  await packAnswer(small, 2, 2);
});
beforeEach(() => {
  process.env.XDG_CACHE_HOME = files.path('cache');
  rmSync(files.path('cache'), { recursive: true, force: true });
});
afterAll(() => {
  process.env.XDG_CACHE_HOME = XDG_CACHE_HOME;
  files.remove();
});

const snapshot = (path: string, options: OpenOptions = {}) => openFleet(path, { mapping: 'snapshot', ...options });
const sha256 = (path: string) => createHash('sha256').update(readFileSync(path)).digest('hex');
/**
 * Lists the cache folder: returns the names of the snapshots, and the number of other files. The
 * other files are links to snapshots: one for each use of a snapshot by a process.
 */
function cached(): { shared: string[]; links: number } {
  const names = readdirSync(cache);
  const shared = names.filter((name) => name.endsWith('.brezel'));
  return { shared, links: names.length - shared.length };
}
async function refusal(work: Promise<unknown>): Promise<BrezelError> {
  const error = await work.then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  if (error instanceof BrezelError) return error;
  throw error ?? new Error('no error');
}

describe('a snapshot', () => {
  test('is a read-only file named by its SHA-256 in a folder of the user', async () => {
    using fleet = await snapshot(large);
    const name = `${sha256(large)}.brezel`;
    expect(cached()).toEqual({ shared: [name], links: 1 });
    expect(statSync(cache).mode & 0o777).toBe(0o700);
    expect(statSync(join(cache, name)).mode & 0o777).toBe(0o400);
    expect(fleet.path).toBe(large);
    expect((await fleet.replay()).differences).toEqual([]);
  });

  test('is removed when its last user no longer needs it, on every kind of store', async () => {
    for (const [kind, store] of await stores()) {
      const fleet = await snapshot(large, { store });
      const again = await snapshot(large, { store });
      expect(cached(), kind).toMatchObject({ shared: [expect.anything()], links: 2 });
      fleet.close();
      expect(cached(), kind).toMatchObject({ shared: [expect.anything()], links: 1 });
      again.close();
      expect(cached(), kind).toEqual({ shared: [], links: 0 });
    }
  });

  test('stays while a plan is mapped, so that other processes find it', async () => {
    const store = await openStore();
    await using runtime = createRuntime({ store });
    const fleet = await snapshot(large, { store });
    const plan = fleet.plan('m0');
    const registered = runtime.register(plan);
    plan.release();
    fleet.close();
    const isMapped = store.memory.kind === 'native';
    expect(cached().links).toBe(isMapped ? 1 : 0);
    copyFileSync(small, large);
    expect(runtime.predictSync(registered, 'word0 word59999')).toEqual({ output: [3] });
    await packAnswer(large, 1);
    runtime.unregister(registered);
    expect(cached()).toEqual({ shared: [], links: 0 });
  });

  test('of a file below 1 MiB is read into memory, without a cache folder', async () => {
    using fleet = await snapshot(small);
    expect((await fleet.replay()).differences).toEqual([]);
    expect(() => statSync(cache)).toThrow('ENOENT');
  });

  test('with verify: false and prefault answers the same', async () => {
    using fleet = await snapshot(large, { verify: false, prefault: true });
    expect((await fleet.replay()).differences).toEqual([]);
  });
});

/**
 * Starts a process that opens a snapshot, prints a line, and runs until its standard input ends.
 */
function opener(path: string) {
  const program = `
    import { openFleet } from 'brezel';
    globalThis.fleet = await openFleet(${JSON.stringify(path)}, { mapping: 'snapshot' });
    console.log('open');
    process.stdin.resume();`;
  const child = spawn(process.execPath, ['--input-type=module', '-e', program], {
    cwd: import.meta.dirname,
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const ended = new Promise<void>((resolve) => child.on('close', () => resolve()));
  const opened = new Promise<void>((resolve, reject) => {
    child.stdout.once('data', () => resolve());
    child.once('close', () => reject(new Error('the process ended before it opened the file')));
  });
  return { opened, ended, kill: () => child.kill('SIGKILL'), end: () => child.stdin.end() };
}

describe('processes of one user', () => {
  test('map one copy, and clean up after a process that was killed', async () => {
    const killed = opener(large);
    await killed.opened;
    const [name] = cached().shared;
    const { ino } = statSync(join(cache, name!));
    const ending = opener(large);
    await ending.opened;
    using fleet = await snapshot(large);
    expect(cached()).toEqual({ shared: [name], links: 3 });
    expect(statSync(join(cache, name!)).ino).toBe(ino);
    ending.end();
    await ending.ended;
    expect(cached().links).toBe(2);
    killed.kill();
    await killed.ended;
    expect(cached().links).toBe(2); // until the next process removes unused links
    (await snapshot(large)).close();
    expect(cached().links).toBe(1);
    fleet.close();
    expect(cached()).toEqual({ shared: [], links: 0 });
  });

  test('remove what a killed process left while it copied', async () => {
    mkdirSync(cache, { recursive: true, mode: 0o700 });
    const [, owner] = await owned();
    const dead = owner!.replace(/\.\d+-\d+\./, '.4194304-1.');
    writeFileSync(join(cache, `tmp.${dead}`), 'half a copy');
    writeFileSync(join(cache, `${'0'.repeat(64)}.brezel.${dead}`), '');
    writeFileSync(join(cache, `${'0'.repeat(64)}.brezel`), '');
    writeFileSync(join(cache, 'notes.txt'), 'not ours');
    (await snapshot(large)).close();
    expect(readdirSync(cache)).toEqual(['notes.txt']);
  });

  test('leave files of other machines and containers alone for 30 days', async () => {
    const [, owner] = await owned();
    const foreign = join(cache, `${'0'.repeat(64)}.brezel.${owner!.replace(/^[0-9a-f]{8}/, '00000000')}`);
    writeFileSync(foreign, '');
    (await snapshot(large)).close();
    expect(statSync(foreign).size).toBe(0);
    const longAgo = new Date(Date.now() - 31 * 24 * 3600 * 1000);
    utimesSync(foreign, longAgo, longAgo);
    (await snapshot(large)).close();
    expect(() => statSync(foreign)).toThrow('ENOENT');
  });

  /**
   * Opens a snapshot, and splits the name of this process's link in the cache folder. Returns the
   * name of the snapshot and the name of the owner.
   */
  async function owned(): Promise<(string | undefined)[]> {
    using _ = await snapshot(large);
    const own = readdirSync(cache).find((name) => !name.endsWith('.brezel'))!;
    return [own.slice(0, 71), own.slice(72)];
  }
});

describe('a file that changes while it is copied', () => {
  const changing = files.path('changing.brezel');
  /**
   * Opens a file that changes soon after the start of each of the first `changes` attempts. Returns
   * the waits between attempts in milliseconds, and `opened` or the code of the error.
   */
  async function openWhileChanging(changes: number): Promise<{ waits: number[]; code: string }> {
    copyFileSync(large, changing);
    const store = await openStore();
    const waits: number[] = [];
    const touch = () => {
      if (changes-- > 0) setImmediate(() => utimesSync(changing, new Date(), new Date(1.6e12 + changes * 1000)));
    };
    const clock = {
      now: () => 0,
      setTimeout(callback: () => void, delayMs: number) {
        waits.push(delayMs);
        callback();
        touch();
        const timer = { cancel: () => undefined, unref: () => timer };
        return timer;
      },
    };
    const opening = snapshot(changing, { store, clock });
    touch();
    const code = await opening.then(
      (fleet) => {
        fleet.close();
        return 'opened';
      },
      (error: BrezelError) => error.code,
    );
    expect(cached()).toEqual({ shared: [], links: 0 });
    expect(store.stats().objects).toBe(0);
    return { waits, code };
  }

  test('is copied again, with growing waits', async () => {
    expect(await openWhileChanging(2)).toEqual({ waits: [50, 100], code: 'opened' });
  });

  test('is rejected after five attempts: ERR_FLEET_CHANGED', async () => {
    expect(await openWhileChanging(5)).toEqual({ waits: [50, 100, 200, 400], code: 'ERR_FLEET_CHANGED' });
  });
});

/** Sets XDG_CACHE_HOME to the value that the hint of an error names, and opens the file again. */
async function followHint({ hint }: BrezelError): Promise<void> {
  process.env.XDG_CACHE_HOME = /^set XDG_CACHE_HOME to (.*): /.exec(hint)![1]!;
  using fleet = await snapshot(large);
  expect(fleet.names).toEqual(['m0', 'm1']);
}

describe('ERR_FLEET_SNAPSHOT', () => {
  test('a cache folder that others can read, a link, or a file in its place', async () => {
    mkdirSync(cache, { recursive: true });
    chmodSync(cache, 0o755);
    const open = await refusal(snapshot(large));
    expect(open).toMatchObject({ code: 'ERR_FLEET_SNAPSHOT', hint: `run: chmod 700 ${cache}` });
    expect(open.message).toContain('mode 0755');
    rmSync(cache, { recursive: true });
    mkdirSync(files.path('elsewhere'), { mode: 0o700 });
    symlinkSync(files.path('elsewhere'), cache);
    const link = await refusal(snapshot(large));
    expect(link.message).toContain('a symbolic link');
    await followHint(link);
    process.env.XDG_CACHE_HOME = files.path('cache');
    rmSync(cache);
    writeFileSync(cache, '');
    expect((await refusal(snapshot(large))).code).toBe('ERR_FLEET_SNAPSHOT');
  });

  test('a parent folder that every user can write to', async () => {
    mkdirSync(files.path('cache'));
    chmodSync(files.path('cache'), 0o777);
    const error = await refusal(snapshot(large));
    expect(error.message).toContain('all users can write');
    await followHint(error);
  });

  test('a cache folder that cannot be created', async () => {
    process.env.XDG_CACHE_HOME = small;
    const error = await refusal(snapshot(large));
    expect(error.code).toBe('ERR_FLEET_SNAPSHOT');
    expect(error.hint).toContain('XDG_CACHE_HOME');
  });

  test.skipIf(process.platform === 'win32')('a copy that exceeds the largest file size', () => {
    const program = `
      import { openFleet } from 'brezel';
      const error = await openFleet(${JSON.stringify(large)}, { mapping: 'snapshot' }).catch((error) => error);
      console.log(JSON.stringify([error.code, error.message]));`;
    // a limit of 100 KiB for every file that the process writes
    const child = spawnSync(
      'sh',
      ['-c', 'ulimit -f 200; exec "$0" "$@"', process.execPath, '--input-type=module', '-e', program],
      { cwd: import.meta.dirname, encoding: 'utf8', env: { ...process.env, XDG_CACHE_HOME: files.path('cache') } },
    );
    expect(child.stderr).toBe('');
    const [code, message] = JSON.parse(child.stdout) as string[];
    expect(code).toBe('ERR_FLEET_SNAPSHOT');
    expect(message).toContain(large);
    expect(readdirSync(cache)).toEqual([]);
  });
});

test('an unknown mapping is rejected', async () => {
  expect((await refusal(openFleet(large, { mapping: 'copy' as 'file' }))).code).toBe('ERR_FLEET_OPTION');
});

describe('a file that is written to the cache folder', () => {
  test('is removed with its last user', async () => {
    const write = () => writeCachedFile(async (path) => copyFileSync(large, path));
    const [first, second] = [await write(), await write()];
    expect([first.path, second.path]).toEqual(Array(2).fill(join(cache, `${sha256(large)}.brezel`)));
    expect(statSync(first.path).mode & 0o777).toBe(0o400);
    first.close();
    using fleet = await openFleet(second.path, { verify: false });
    expect(cached()).toEqual({ shared: [`${sha256(large)}.brezel`], links: 1 });
    second.close();
    expect(cached()).toEqual({ shared: [], links: 0 });
    expect(fleet.names).toEqual(['m0', 'm1']); // the mapping stays valid
  });

  test('replaces a file with its name that is not the file', async () => {
    mkdirSync(cache, { recursive: true, mode: 0o700 });
    const shared = join(cache, `${sha256(large)}.brezel`);
    // a damaged file stays in the folder while another process has a link to it
    const spoil = [
      () => {
        writeFileSync(shared, 'short');
        linkSync(shared, join(cache, 'other'));
      },
      () => symlinkSync(small, shared),
    ];
    for (const [index, change] of spoil.entries()) {
      change();
      const file = await writeCachedFile(async (path) => copyFileSync(large, path));
      expect([file.path, sha256(file.path)], `${index}`).toEqual([shared, sha256(large)]);
      file.close();
      expect(cached().shared).toEqual([]);
    }
    writeFileSync(shared, 'short');
    rmSync(join(cache, 'other'));
    linkSync(shared, join(cache, 'other'));
    using fleet = await snapshot(large);
    expect(fleet.names).toEqual(['m0', 'm1']);
  });

  test('leaves nothing after an error', async () => {
    const failing = writeCachedFile(async (path) => {
      writeFileSync(path, 'half');
      throw new Error('no space');
    });
    expect(await refusal(failing)).toMatchObject({ code: 'ERR_FLEET_SNAPSHOT', details: { received: 'no space' } });
    expect(cached()).toEqual({ shared: [], links: 0 });
  });
});
