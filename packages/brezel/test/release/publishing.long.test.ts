import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { packedRelease, REPOSITORY, root } from './install.js';
import { installedTools } from './tools.js';

const tools = installedTools('publishing');
const folder = packedRelease();
const tarballs = readdirSync(folder);

/** Runs a command line tool of the folder `publishing`, and returns what it printed. */
function run(script: string, ...args: readonly string[]): string {
  const { status, stdout, stderr } = spawnSync(process.execPath, [join(tools!, script), ...args], { encoding: 'utf8' });
  if (status !== 0) throw new Error(`exit code ${status}\n${stdout}${stderr}`);
  return stdout;
}

const manifestOf = (tarball: string) =>
  JSON.parse(execFileSync('tar', ['xzOf', join(folder, tarball), 'package/package.json'], { encoding: 'utf8' }));
const filesOf = (tarball: string) =>
  execFileSync('tar', ['tzf', join(folder, tarball)], { encoding: 'utf8' })
    .trim()
    .split('\n');

describe.each(tarballs)('%s', (tarball) => {
  it.skipIf(!tools)('has no finding of publint', () => {
    expect(run('publint/src/cli.js', 'run', join(folder, tarball), '--strict')).toContain('All good!');
  });

  const hasTypes = filesOf(tarball).some((file) => file.endsWith('.d.ts'));
  if (hasTypes)
    it.skipIf(!tools)('has types for every entry point and every resolution', () => {
      const check = (...options: readonly string[]) =>
        run('@arethetypeswrong/cli/dist/index.js', join(folder, tarball), '--format', 'ascii', ...options);
      const { exports } = manifestOf(tarball);
      if (exports['./web'] === undefined) return expect(check()).toContain('No problems found');
      // Browsers and edge runtimes load `brezel/web` as an ES module only. kernels.wasm has no types.
      expect(check('--exclude-entrypoints', 'web', 'kernels.wasm')).toContain('No problems found');
      expect(check('--entrypoints', 'web', '--profile', 'esm-only')).toMatch(/from ESM\): 🟢.*\nbundler: 🟢/);
    });

  it('has keywords, a license and a README, and no source maps', () => {
    const { keywords, license, description } = manifestOf(tarball);
    expect(keywords.length).toBeGreaterThan(2);
    expect([license, description.length > 20]).toEqual(['Apache-2.0', true]);
    const files = filesOf(tarball);
    expect(files).toEqual(expect.arrayContaining(['package/LICENSE', 'package/README.md']));
    expect(files.filter((file) => /\.map$|tsbuildinfo|\/src\//.test(file))).toEqual([]);
  });

  it('names its repository, and folder in it, its home page and where to report bugs', () => {
    const { repository, homepage, bugs, private: isPrivate } = manifestOf(tarball);
    expect({ homepage, bugs, isPrivate }).toEqual({
      homepage: `${REPOSITORY}#readme`,
      bugs: { url: `${REPOSITORY}/issues` },
      isPrivate: undefined,
    });
    expect(repository).toMatchObject({ type: 'git', url: `git+${REPOSITORY}.git` });
    expect(existsSync(join(root, repository.directory, 'package.json'))).toBe(true);
  });

  it('has a README without links to files that the package does not have', () => {
    const text = execFileSync('tar', ['xzOf', join(folder, tarball), 'package/README.md'], { encoding: 'utf8' });
    expect(text).not.toMatch(/\]\((?!https:|#)|src="(?!https:)/);
  });
});

it('packs every published package', () => {
  const { workspaces } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  const published = workspaces
    .map((name: string) => JSON.parse(readFileSync(join(root, name, 'package.json'), 'utf8')))
    .filter((manifest: { name: string; private?: boolean }) => manifest.name === 'brezel' || !manifest.private)
    .map(({ name }: { name: string }) => name);
  const packed = tarballs.map((tarball) => manifestOf(tarball).name).filter((name) => !name.includes('native'));
  expect(packed.sort()).toEqual(published.sort());
});
