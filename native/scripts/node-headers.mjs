// Finds Node's headers for node-gyp. It downloads nothing.
import { cpSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const native = join(dirname(fileURLToPath(import.meta.url)), '..');
const require = createRequire(import.meta.url);

/**
 * Returns a folder with Node's headers in the layout that node-gyp reads. It looks at
 * npm_config_nodedir, then at the headers that came with this Node, then at the npm package
 * node-api-headers. With BREZEL_NATIVE_HEADERS=package, it uses only the npm
 * package. Without this folder, node-gyp would download the headers.
 */
export function findHeaders() {
  const isForced = process.env.BREZEL_NATIVE_HEADERS === 'package';
  if (!isForced && process.env.npm_config_nodedir) return process.env.npm_config_nodedir;
  const installed = join(dirname(process.execPath), '..');
  const isComplete = ['node_api.h', 'common.gypi', 'config.gypi'].every((name) =>
    existsSync(join(installed, 'include', 'node', name)),
  );
  return !isForced && isComplete ? installed : makeHeaders();
}

function makeHeaders() {
  const folder = join(native, 'generated', 'headers'); // not in build/, because node-gyp clears it
  const include = join(folder, 'include', 'node');
  const [major, minor, patch] = process.versions.node.split('.');
  const version = `#define NODE_MAJOR_VERSION ${major}\n#define NODE_MINOR_VERSION ${minor}\n#define NODE_PATCH_VERSION ${patch}\n`;
  const versionFile = join(include, 'node_version.h');
  // Copying the headers again would change their file times and compile the boundary again.
  if (existsSync(versionFile) && readFileSync(versionFile, 'utf8') === version) return folder;
  mkdirSync(include, { recursive: true });
  cpSync(require('node-api-headers').include_dir, include, { recursive: true });
  // The variables that node-gyp needs; all others have defaults.
  const variables = {
    node_use_v8_platform: 'true',
    node_use_bundled_v8: 'true',
    node_shared: 'false',
    openssl_fips: '',
  };
  writeFileSync(join(include, 'config.gypi'), JSON.stringify({ target_defaults: {}, variables }));
  writeFileSync(join(include, 'common.gypi'), JSON.stringify(commonGypi));
  // node-gyp reads the version of the headers from this file, so it is written last.
  writeFileSync(versionFile, version);
  return folder;
}

const commonGypi = {
  target_defaults: {
    default_configuration: 'Release',
    cflags: ['-pthread'],
    ldflags: ['-pthread'],
    configurations: { Release: { cflags: ['-fPIC'] }, Debug: { cflags: ['-fPIC', '-g'] } },
    conditions: [['OS=="mac"', { xcode_settings: { OTHER_LDFLAGS: ['-undefined', 'dynamic_lookup'] } }]],
  },
};
