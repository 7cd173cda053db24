// Writes a folder for each published package: `brezel` with all internal packages, the adapters,
// and the addon of this platform. The packages run no code when they are installed.
import { copyFileSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { transformSync } from 'esbuild';
import { writeWeb } from '../bundle-web.mjs';
import { inlinedLibraries, optionalPackages, subpaths } from '../entry-points.mjs';
import { bundleBrezel, workspaceSources } from './bundle.mjs';
import { buildForBundlers } from './bundler-build.mjs';
import { requireDeclarations, writeDeclarations } from './declarations.mjs';
import { originFields } from './origin.mjs';
import { currentPlatform, packageOf, platforms } from './platforms.mjs';
import { publishedReadme } from './readme.mjs';

const root = fileURLToPath(new URL('../..', import.meta.url));
const addon = join(root, 'native/build/Release/brezel.node');
const adapters = ['external', 'grpc', 'http', 'nats', 'opentelemetry', 'prom-client', 'selection'];
/** Libraries whose code is in the bundle of an adapter. */
const bundledLibraries = { http: ['uplot'] };

/**
 * Writes the folders of all published packages.
 *
 * @param {string} folder where the folders are written
 * @param {{ readonly allPlatforms?: boolean, readonly repository?: string }} options with
 * `allPlatforms`, brezel depends on the addons of all platforms and not only on the one that was
 * built here; `repository` is the URL in package.json and in links of READMEs, and without it npm
 * refuses to publish the packages
 * @returns {Promise<string[]>} the folders
 */
export async function stageRelease(folder, { allPlatforms = false, repository } = {}) {
  const brezel = await stageBrezel(join(folder, 'brezel'), allPlatforms, repository);
  const others = await Promise.all(adapters.map((name) => stageAdapter(join(folder, name), name, repository)));
  return [brezel, ...others, ...stageAddon(join(folder, currentPlatform()), repository)];
}

async function stageBrezel(to, allPlatforms, repository) {
  const dist = join(to, 'dist');
  const libraries = await bundleBrezel(dist);
  await buildForBundlers(join(dist, 'bundler'), workspaceSources, read('packages/brezel/package.json').version);
  const types = join(dist, 'types');
  await writeWeb(dist);
  const declarations = ['index.d.ts', 'web/index.d.ts', ...subpaths.map((name) => `${name}/index.d.ts`)];
  writeDeclarations(
    types,
    declarations.map((file) => `packages/brezel/dist/${file}`),
  );
  for (const [entry, module, file] of [
    ['brezel', './types/brezel/index.js', 'index.d.cts'],
    ...subpaths.map((name) => [`brezel/${name}`, `./types/brezel/${name}/index.js`, `${name}.d.cts`]),
  ])
    writeFileSync(join(dist, file), requireDeclarations(module, await import(entry), types));
  writeFileSync(join(dist, 'THIRD-PARTY-LICENSES.txt'), licensesOf(inlinedLibraries));
  // TypeScript with moduleResolution node10 does not read `exports`
  for (const name of subpaths) {
    mkdirSync(join(to, name));
    const entry = { type: 'commonjs', main: `../dist/${name}.cjs`, types: `../dist/types/brezel/${name}/index.d.ts` };
    writeFileSync(join(to, name, 'package.json'), `${JSON.stringify(entry)}\n`);
  }
  mkdirSync(join(to, 'bin'));
  const command = read('packages/brezel/bin/brezel.js', 'text').replace("'@brezel/cli'", "'../dist/cli.cjs'");
  writeFileSync(join(to, 'bin/brezel.js'), command);
  return finish(to, brezelManifest(libraries, allPlatforms), readmeOf('', repository), {
    repository,
    source: 'packages/brezel',
  });
}

function brezelManifest(libraries, allPlatforms) {
  const { private: _, exports: _workspace, ...manifest } = read('packages/brezel/package.json');
  return {
    ...manifest,
    main: './dist/index.cjs',
    types: './dist/types/brezel/index.d.ts',
    exports: {
      '.': everyKind('./dist/types/brezel/index.d.ts', 'index'),
      ...Object.fromEntries(
        subpaths.map((name) => [`./${name}`, everyKind(`./dist/types/brezel/${name}/index.d.ts`, name)]),
      ),
      // browsers and edge runtimes load ES modules only
      './web': { types: './dist/types/brezel/web/index.d.ts', default: './dist/web.js' },
      './kernels.wasm': './dist/kernels.wasm',
      './package.json': './package.json',
    },
    files: ['dist', 'bin', ...subpaths],
    sideEffects: true, // modules of operators add methods to `Flow`
    dependencies: Object.fromEntries(libraries.map((name) => [name, declaredVersion(name)])),
    optionalDependencies: addonsOf(manifest.version, allPlatforms),
    ...peersOfBackends(),
  };
}

/**
 * Returns the fields of package.json for an entry point: its files for `import` and for `require`.
 */
const bothKinds = (types, file) => ({
  import: { types, default: `${file}.js` },
  require: { types: `${file}.d.cts`, default: `${file}.cjs` },
});

/**
 * Returns the fields of package.json for an entry point of brezel: its files for bundlers, `import`
 * and `require`.
 */
const everyKind = (types, name) => ({
  module: { types, default: `./dist/bundler/${name}.js` },
  ...bothKinds(types, `./dist/${name}`),
});

/**
 * Returns the version of a library that internal packages declare. Throws if two packages declare
 * different versions, because both would be installed.
 */
function declaredVersion(library) {
  const versions = new Set(
    workspaces().flatMap(({ dependencies }) => (dependencies?.[library] ? [dependencies[library]] : [])),
  );
  if (versions.size !== 1) throw new Error(`${library} must have one version, not: ${[...versions].join(', ')}`);
  return [...versions][0];
}

/**
 * Returns the peer dependencies, which users install themselves: runtimes for black boxes, and the
 * `optionalPackages`, such as `@brezel/http`.
 */
function peersOfBackends() {
  const backends = workspaces().filter(({ name }) => name === '@brezel/onnxruntime' || name === '@brezel/tfjs');
  const optional = workspaces()
    .filter(({ name }) => optionalPackages.includes(name))
    .map(({ name, version }) => ({ [name]: version }));
  return {
    peerDependencies: Object.assign({}, ...backends.map(({ peerDependencies }) => peerDependencies), ...optional),
    peerDependenciesMeta: Object.assign(
      {},
      ...backends.map(({ peerDependenciesMeta }) => peerDependenciesMeta),
      ...optionalPackages.map((name) => ({ [name]: { optional: true } })),
    ),
  };
}

const workspaces = () => read('package.json').workspaces.map((folder) => read(join(folder, 'package.json')));

/** Writes an adapter. An adapter imports only brezel's public API and bundled packages. */
async function stageAdapter(to, name, repository) {
  const { private: _, ...manifest } = read(`packages/${name}/package.json`);
  const [from, dist] = [join(root, 'packages', name, 'dist'), join(to, 'dist')];
  mkdirSync(dist, { recursive: true });
  writeDeclarations(dist, [`packages/${name}/dist/index.d.ts`], name);
  const code = read(`packages/${name}/dist/index.js`, 'text').replace(/^\/\/# sourceMappingURL=.*\n?/m, '');
  writeFileSync(join(dist, 'index.js'), code);
  writeFileSync(
    join(dist, 'index.cjs'),
    transformSync(code, { format: 'cjs', platform: 'node', target: 'node20' }).code,
  );
  const exported = await import(pathToFileURL(join(from, 'index.js')).href);
  writeFileSync(join(dist, 'index.d.cts'), requireDeclarations('./index.js', exported, dist));
  const libraries = bundledLibraries[name] ?? [];
  if (libraries.length > 0) writeFileSync(join(dist, 'THIRD-PARTY-LICENSES.txt'), licensesOf(libraries));
  const entry = { '.': bothKinds('./dist/index.d.ts', './dist/index') };
  const published = { ...manifest, main: './dist/index.cjs', exports: entry, files: ['dist'] };
  const source = `packages/${name}`;
  return finish(to, published, readmeOf(source, repository), { repository, source });
}

/** Writes the package of the addon for this platform, if the addon was built here. */
function stageAddon(to, repository) {
  const platform = currentPlatform();
  if (!existsSync(addon)) {
    console.log(`no addon for ${platform}: it was not built here, so an installation runs JavaScript`);
    return [];
  }
  const { version, keywords, license, engines } = read('native/package.json');
  mkdirSync(to);
  copyFileSync(addon, join(to, 'brezel.node'));
  const description = `The C++ core of Brezel for ${platform}`;
  const fits = platforms[platform] ?? { os: [process.platform], cpu: [process.arch] };
  const content = { type: 'commonjs', main: 'brezel.node', files: ['brezel.node'] };
  const manifest = { name: packageOf(platform), version, description, keywords, license, engines };
  const readme = `# ${manifest.name}\n\n${description}. \`brezel\` installs it.\n`;
  return [finish(to, { ...manifest, ...fits, ...content }, readme, { repository, source: 'native' })];
}

function addonsOf(version, allPlatforms) {
  const names = allPlatforms ? Object.keys(platforms) : existsSync(addon) ? [currentPlatform()] : [];
  return Object.fromEntries(names.map((name) => [packageOf(name), version]));
}

/**
 * Returns the licenses of libraries whose code is in the bundle. If the npm package of a library has
 * no license file, the folder `licenses` contains the file from the library's repository.
 */
function licensesOf(libraries) {
  return libraries
    .map((name) => {
      const folder = dirname(findPackage(name));
      const own = ['LICENSE', 'license', 'LICENSE.md'].map((one) => join(folder, one));
      const file = [...own, join(root, `scripts/release/licenses/${name}.txt`)].find(existsSync);
      if (!file) throw new Error(`${name} has no license file`);
      return `${name}\n\n${readFileSync(file, 'utf8').trim()}\n`;
    })
    .join(`\n${'-'.repeat(80)}\n\n`);
}

const findPackage = (name) => join(root, 'node_modules', name, 'package.json');

/** Returns the README of a folder of the repository, for a package registry. */
const readmeOf = (folder, repository) => publishedReadme(read(join(folder, 'README.md'), 'text'), folder, repository);

/**
 * Writes the files that every package has.
 *
 * @param {string} folder of the published package
 * @param {object} manifest its package.json; scripts and development dependencies are omitted
 * @param {string} readme its README
 * @param {{ readonly repository?: string, readonly source: string }} origin the URL of the
 * repository, and the folder of the package in it
 */
function finish(
  folder,
  { scripts: _scripts, devDependencies: _development, ...manifest },
  readme,
  { repository, source },
) {
  const origin = originFields(repository, source);
  writeFileSync(join(folder, 'package.json'), `${JSON.stringify({ ...manifest, ...origin }, null, 2)}\n`);
  copyFileSync(join(root, 'LICENSE'), join(folder, 'LICENSE'));
  writeFileSync(join(folder, 'README.md'), readme);
  return folder;
}

function read(file, as = 'json') {
  const text = readFileSync(join(root, file), 'utf8');
  return as === 'json' ? JSON.parse(text) : text;
}
