// npm run pack [-- --out FOLDER --platforms all]: writes everything that is published, as tarballs
// for npm. It needs a build.
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { stageRelease } from './stage.mjs';

const { values } = parseArgs({
  options: {
    out: { type: 'string', default: fileURLToPath(new URL('../../release', import.meta.url)) },
    // the addons on which brezel depends: for this machine, or for all platforms
    platforms: { type: 'string', default: 'this' },
  },
});
const { repository } = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8'));
if (repository === undefined)
  console.log(
    'package.json has no field repository: the packages name no origin, and links of their READMEs become text',
  );
const stage = mkdtempSync(join(tmpdir(), 'brezel-release-'));
try {
  const folders = await stageRelease(stage, { allPlatforms: values.platforms === 'all' });
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
