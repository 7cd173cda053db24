// Measures installation: bytes, packages and install scripts of Brezel's tarballs and of
// onnxruntime-node, each installed into an empty folder. It also tests whether models with
// StringNormalizer load without an installed locale.
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { openBrezel, openRival } from '../harness/engines.mjs';
import { fact, say } from '../harness/records.mjs';

const root = fileURLToPath(new URL('../..', import.meta.url));
const SCRIPTS = ['preinstall', 'install', 'postinstall'];
/** Matches the tarballs of `brezel` and of its native addon, which "Getting started" installs. */
const INSTALLED = /^brezel-(\d|native-)/;
const MODEL = join(root, 'examples/models/sa-fam-a-00.onnx');

export const experiments = {
  async install() {
    const folder = mkdtempSync(join(tmpdir(), 'brezel-install-'));
    try {
      const release = join(folder, 'release');
      execFileSync(process.execPath, [join(root, 'scripts/release/pack.mjs'), '--out', release], { cwd: root });
      const tarballs = readdirSync(release).filter((name) => INSTALLED.test(name));
      const rival = createRequire(import.meta.url)('onnxruntime-node/package.json').version;
      const ours = installed(
        join(folder, 'brezel'),
        tarballs.map((name) => join(release, name)),
      );
      const theirs = installed(join(folder, 'rival'), [`onnxruntime-node@${rival}`]);
      fact({ what: 'installed size, MiB', ours: ours.size, theirs: theirs.size });
      fact({ what: 'packages with install scripts', ours: ours.scripts, theirs: theirs.scripts });
      say(`packages: ${ours.packages} of Brezel, ${theirs.packages} of onnxruntime-node ${rival}, with dependencies`);
    } finally {
      rmSync(folder, { recursive: true });
    }
    await locales();
  },
};

/**
 * Installs packages without running their scripts.
 *
 * @param {string} folder
 * @param {readonly string[]} packages
 */
function installed(folder, packages) {
  mkdirSync(folder);
  writeFileSync(join(folder, 'package.json'), '{}');
  const options = ['--ignore-scripts', '--no-audit', '--no-fund', '--prefer-offline'];
  execFileSync('npm', ['install', ...options, ...packages], { cwd: folder, stdio: ['ignore', 'ignore', 'inherit'] });
  const manifests = readdirSync(join(folder, 'node_modules'), { recursive: true, encoding: 'utf8' })
    .filter((path) => /(^|node_modules\/)(@[^/]+\/)?[^/@.]+\/package\.json$/.test(path))
    .map((path) => JSON.parse(readFileSync(join(folder, 'node_modules', path), 'utf8')))
    .filter(({ name, version }) => name !== undefined && version !== undefined);
  const scripts = manifests.filter(({ scripts = {} }) => SCRIPTS.some((script) => script in scripts));
  const kilobytes = execFileSync('du', ['-sk', 'node_modules'], { cwd: folder, encoding: 'utf8' });
  return {
    size: (Number.parseInt(kilobytes, 10) / 1024).toFixed(0),
    scripts: String(scripts.length),
    packages: manifests.length,
  };
}

/**
 * Loads an exported model with StringNormalizer, which requires the locale en_US.UTF-8 in
 * onnxruntime.
 */
async function locales() {
  if (!existsSync(MODEL)) return;
  const list = execFileSync('locale', ['-a'], { encoding: 'utf8' }).trim().split('\n');
  const has = list.some((name) => /^en_US\.utf-?8$/i.test(name));
  const brezel = await openBrezel();
  await brezel.load(MODEL);
  await brezel.close();
  const rival = await openRival('sa');
  const error = await rival.load(MODEL).then(
    () => undefined,
    (/** @type {Error} */ reason) => reason.message,
  );
  await rival.close();
  say(`onnxruntime-node with locales ${list.join(', ')}: ${error ?? 'the model loads'}`);
  if (has) return say('the locale en_US.UTF-8 is installed, so its absence was not tested');
  fact({
    what: 'needs the locale en_US.UTF-8',
    ours: 'no',
    theirs: error === undefined ? 'no' : 'yes (StringNormalizer)',
  });
}
