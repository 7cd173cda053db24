import { execFileSync, spawnSync } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const root = fileURLToPath(new URL('../../../../', import.meta.url));

interface Manifest {
  readonly name: string;
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly optionalDependencies?: Readonly<Record<string, string>>;
}

/** The repository in the packed release. Nobody can own its host name. */
export const REPOSITORY = 'https://example.org/owner/brezel';

/**
 * Packs a release, once for all test files of a run, because the temporary folder belongs to the
 * run.
 *
 * @returns the folder of the tarballs; do not write to it
 */
export function packedRelease(): string {
  const shared = join(tmpdir(), 'brezel-packed');
  if (existsSync(shared)) return shared;
  const own = mkdtempSync(join(tmpdir(), 'brezel-pack-'));
  const script = join(root, 'scripts/release/pack.mjs');
  execFileSync('node', [script, '--out', own, '--repository', REPOSITORY], { stdio: 'pipe' });
  try {
    renameSync(own, shared);
    return shared;
  } catch {
    return own; // another test file has packed at the same time
  }
}

/**
 * A project of a user. It contains the tarballs of Brezel, unpacked as npm does. Of all other
 * packages, it contains only the dependencies of these tarballs.
 */
export class Project {
  readonly folder = mkdtempSync(join(tmpdir(), 'brezel-install-'));

  /**
   * Installs the packed release. No network: other packages are taken from this repository's
   * node_modules.
   */
  constructor() {
    const tarballs = packedRelease();
    for (const file of readdirSync(tarballs)) this.#unpack(join(tarballs, file));
    this.write('package.json', '{ "name": "project", "private": true }');
  }

  path(...names: string[]): string {
    return join(this.folder, ...names);
  }

  write(name: string, text: string): string {
    writeFileSync(this.path(name), text);
    return this.path(name);
  }

  /** Runs Node in the project, and returns the printed text. */
  node(args: readonly string[], env: Readonly<Record<string, string>> = {}): string {
    const options = { cwd: this.folder, encoding: 'utf8', env: { ...process.env, ...env } } as const;
    const { status, stdout, stderr } = spawnSync(process.execPath, args, options);
    if (status !== 0) throw new Error(`node ${args.join(' ')}: exit code ${status}\n${stdout}${stderr}`);
    return stdout;
  }

  /**
   * Also installs a package that is not a dependency, such as a development tool or an optional
   * peer.
   */
  add(name: string): void {
    this.#link(name, root);
  }

  remove(name: string): void {
    rmSync(this.path('node_modules', name), { recursive: true });
  }

  dispose(): void {
    rmSync(this.folder, { recursive: true });
  }

  #unpack(tarball: string): void {
    const unpacked = this.path('unpacked');
    mkdirSync(unpacked, { recursive: true });
    execFileSync('tar', ['xzf', tarball, '-C', unpacked]);
    const { name, dependencies } = read(join(unpacked, 'package'));
    mkdirSync(dirname(this.path('node_modules', name)), { recursive: true });
    execFileSync('mv', [join(unpacked, 'package'), this.path('node_modules', name)]);
    for (const other of Object.keys(dependencies ?? {})) if (!isOurs(other)) this.#link(other, root);
  }

  #link(name: string, from: string): void {
    const source = find(name, from);
    const place = this.path('node_modules', name);
    if (existsSync(place)) return;
    mkdirSync(dirname(place), { recursive: true });
    symlinkSync(source, place); // Node resolves its dependencies from its real location
  }
}

const isOurs = (name: string) => name === 'brezel' || name.startsWith('@brezel/');

const read = (folder: string): Manifest => JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));

function find(name: string, from: string): string {
  const place = join(from, 'node_modules', name);
  if (!existsSync(place)) throw new Error(`${name} is no package of this repository`);
  return place;
}
