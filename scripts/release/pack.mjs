// npm run pack [-- --out FOLDER --platforms all]: everything that is published, as the tarballs that npm takes. Each package is put together in
// a folder of its own, so that the licence, a README and what only a release has (the bundle for require(), the addon of a platform) never lie
// in the sources. Needs a build.
import { execFileSync } from 'node:child_process';
import { copyFileSync, cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { currentPlatform, packageOf, platforms } from './platforms.mjs';
import { requireTypes } from './require-types.mjs';

const root = fileURLToPath(new URL('../..', import.meta.url));
const addon = join(root, 'native/build/Release/brezel.node');
const read = (file) => JSON.parse(readFileSync(join(root, file), 'utf8'));

const { values } = parseArgs({
  options: {
    out: { type: 'string', default: join(root, 'release') },
    platforms: { type: 'string', default: 'this' }, // which addons @brezel/native asks for: this machine's, or all
  },
});
const stage = mkdtempSync(join(tmpdir(), 'brezel-release-'));
try {
  const folders = [...workspaces(), ...platformAddon()];
  const out = resolve(values.out);
  mkdirSync(out, { recursive: true });
  const packed = npm(['pack', '--json', '--ignore-scripts', '--pack-destination', out, ...folders], stage);
  for (const { filename, unpackedSize } of packed)
    console.log(`${filename}  ${(unpackedSize / 1024).toFixed(0)} KiB installed`);
} finally {
  rmSync(stage, { recursive: true });
}

/** A folder for each workspace, with the files that its package.json names, as npm itself chooses them. */
function workspaces() {
  const published = new Map(
    npm(['pack', '--dry-run', '--json', '--ignore-scripts', '--workspaces'], root).map(({ name, files }) => [
      name,
      files,
    ]),
  );
  return read('package.json').workspaces.map((folder) => {
    const manifest = read(join(folder, 'package.json'));
    const to = join(stage, folder);
    for (const { path } of published.get(manifest.name)) cpSync(join(root, folder, path), join(to, path));
    if (manifest.name === 'brezel') addCommonJs(to);
    if (manifest.name === '@brezel/native') manifest.optionalDependencies = addonsOf(manifest.version);
    // What is installed is what lies here: nothing runs, neither when it is packed nor when it is installed.
    const { scripts: _scripts, devDependencies: _development, ...others } = manifest;
    return finish(to, others);
  });
}

/** What require('brezel') takes. */
function addCommonJs(to) {
  execFileSync('node', [join(root, 'scripts/build-cjs.mjs'), join(to, 'dist/index.cjs')]);
  writeFileSync(join(to, 'dist/index.d.cts'), requireTypes());
}

/** The addon that was built here, if it was. */
function platformAddon() {
  const platform = currentPlatform();
  if (!existsSync(addon)) {
    console.log(`no addon for ${platform}: it was not built here, so who installs these runs JavaScript`);
    return [];
  }
  const { version, license, engines } = read('native/package.json');
  const to = join(stage, platform);
  mkdirSync(to);
  copyFileSync(addon, join(to, 'brezel.node'));
  const description = `The C++ core of Brezel for ${platform}`;
  const fits = platforms[platform] ?? { os: [process.platform], cpu: [process.arch] };
  const content = { main: 'brezel.node', files: ['brezel.node'] };
  return [finish(to, { name: packageOf(platform), version, description, license, engines, ...fits, ...content })];
}

function addonsOf(version) {
  const names = values.platforms === 'all' ? Object.keys(platforms) : existsSync(addon) ? [currentPlatform()] : [];
  return Object.fromEntries(names.map((name) => [packageOf(name), version]));
}

/** Writes what every package has. */
function finish(folder, manifest) {
  writeFileSync(join(folder, 'package.json'), `${JSON.stringify(manifest, null, 2)}\n`);
  copyFileSync(join(root, 'LICENSE'), join(folder, 'LICENSE'));
  const readme = join(folder, 'README.md');
  if (manifest.name === 'brezel') copyFileSync(join(root, 'README.md'), readme);
  else if (!existsSync(readme))
    writeFileSync(readme, `# ${manifest.name}\n\n${manifest.description}. A part of \`brezel\`, which installs it.\n`);
  return folder;
}

/** What npm answers with --json: an entry a package. */
function npm(args, cwd) {
  const told = execFileSync('npm', args, {
    cwd,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'pipe'],
    maxBuffer: 2 ** 26,
  });
  return Object.values(JSON.parse(told));
}
