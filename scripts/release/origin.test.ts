import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
// @ts-expect-error a script without declarations
import { originFields, repositoryUrl } from './origin.mjs';

const REPOSITORY = 'https://example.org/owner/brezel';

it.each([
  REPOSITORY,
  `${REPOSITORY}/`,
  `${REPOSITORY}.git`,
  `git+${REPOSITORY}.git`,
  'git://example.org/owner/brezel.git',
  'ssh://git@example.org/owner/brezel.git',
  'git+ssh://git@example.org:2222/owner/brezel.git',
  'git@example.org:owner/brezel.git',
])('%s is a repository', (given) => expect(repositoryUrl(given)).toBe(REPOSITORY));

it('keeps the port of https and the names of groups', () => {
  expect(repositoryUrl('https://example.org:8443/group/part/brezel')).toBe(
    'https://example.org:8443/group/part/brezel',
  );
});

it.each([
  '',
  'brezel',
  'owner/brezel',
  'http://example.org/owner/brezel',
  'file:///owner/brezel',
  'https://example.org',
  'https://example.org/brezel?ref=1',
  'https://example.org/owner/brezel#readme',
  'https://example.org/owner/bre"zel',
])('%j is not a repository', (given) => expect(() => repositoryUrl(given)).toThrow(/expected an https or git URL/));

it.each([
  'https://x:s3cret@example.org/owner/brezel',
  'http://x:s3cret@example.org/owner/brezel',
  'https://x:s3cret@example.org:bad/owner/brezel',
  's3cret@example.org:owner/brezel',
  'https://example.org/owner/brezel?private_token=s3cret',
])('refuses a token in the URL, and does not print it', (given) => {
  const call = () => repositoryUrl(given);
  expect(call).toThrow(/password/);
  expect(call).not.toThrow(/s3cret/);
});

it('says where a package comes from, or that npm must not publish it', () => {
  expect(originFields(undefined, 'packages/brezel')).toEqual({ private: true });
  expect(originFields(REPOSITORY, 'packages/brezel')).toEqual({
    repository: { type: 'git', url: 'git+https://example.org/owner/brezel.git', directory: 'packages/brezel' },
    homepage: 'https://example.org/owner/brezel#readme',
    bugs: { url: 'https://example.org/owner/brezel/issues' },
  });
});

it.each([
  [
    '--platforms all without a repository',
    ['--platforms', 'all'],
    /a release needs the URL.*--repository URL.*BREZEL_REPOSITORY/,
  ],
  ['a text that is not a URL', ['--repository', 'brezel'], /--repository: expected an https or git URL/],
  ['an empty URL', ['--platforms', 'all', '--repository', ''], /--repository: expected an https or git URL/],
  ['an unknown platform', ['--platforms', 'linux'], /--platforms: expected this or all, received "linux"/],
])('npm run pack refuses %s', (_, args, message) => {
  const { BREZEL_REPOSITORY: _given, ...env } = process.env;
  const script = fileURLToPath(new URL('pack.mjs', import.meta.url));
  const { status, stderr, stdout } = spawnSync(process.execPath, [script, ...args], { encoding: 'utf8', env });
  expect([status, stdout]).toEqual([1, '']);
  expect(stderr).toMatch(message);
  expect(stderr.trim().split('\n')).toHaveLength(1);
});
