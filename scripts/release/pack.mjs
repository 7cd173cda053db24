// npm run pack [-- --out FOLDER --repository URL --platforms all]: writes everything that is
// published, as tarballs for npm. It needs a build. Without the URL of the repository, in the
// option or in BREZEL_REPOSITORY, the tarballs are for trials: npm installs them and refuses to
// publish them.
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { repositoryUrl } from './origin.mjs';

const { values } = parseArgs({
  options: {
    out: { type: 'string', default: fileURLToPath(new URL('../../release', import.meta.url)) },
    // the addons on which brezel depends: for this machine, or for all platforms
    platforms: { type: 'string', default: 'this' },
    repository: { type: 'string' },
  },
});
const repository = checkedRepository();
if (!['this', 'all'].includes(values.platforms))
  refuse(`--platforms: expected this or all, received ${JSON.stringify(values.platforms)}`);
if (repository === undefined && values.platforms === 'all')
  refuse('a release needs the URL of its repository: pass --repository URL, or set BREZEL_REPOSITORY');
if (repository === undefined)
  console.log('packages for trials: npm refuses to publish them; --repository URL packs a release');
const { stageRelease } = await import('./stage.mjs');
const stage = mkdtempSync(join(tmpdir(), 'brezel-release-'));
try {
  const folders = await stageRelease(stage, { allPlatforms: values.platforms === 'all', repository });
  const out = resolve(values.out);
  mkdirSync(out, { recursive: true });
  for (const { filename, unpackedSize } of pack(folders, out))
    console.log(`${filename}  ${(unpackedSize / 1024).toFixed(0)} KiB installed`);
} finally {
  rmSync(stage, { recursive: true });
}

function pack(folders, out) {
  const args = ['pack', '--json', '--ignore-scripts', '--pack-destination', out, ...folders];
  const printed = execFileSync('npm', args, {
    cwd: stage,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'pipe'],
    maxBuffer: 2 ** 26,
  });
  return Object.values(JSON.parse(printed));
}

/**
 * Returns the repository URL of the option `--repository` or of BREZEL_REPOSITORY, or undefined if
 * neither is set.
 */
function checkedRepository() {
  const [name, given] =
    values.repository === undefined
      ? ['BREZEL_REPOSITORY', process.env.BREZEL_REPOSITORY || undefined]
      : ['--repository', values.repository];
  try {
    return given === undefined ? undefined : repositoryUrl(given);
  } catch (error) {
    return refuse(`${name}: ${error.message}`);
  }
}

function refuse(message) {
  console.error(message);
  process.exit(1);
}
