import { type ChildProcess, execFileSync, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import {
  chmodSync,
  copyFileSync,
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { afterAll, describe, expect, it } from 'vitest';
import { packAnswer } from '../../brezel/test/fleet/large-fleet.js';
import { model, root } from './brezel.js';

const deploy = join(root, 'examples/deploy');
const folder = mkdtempSync(join(tmpdir(), 'brezel-deploy-'));
const running: ChildProcess[] = [];
afterAll(() => {
  for (const child of running) child.kill('SIGKILL');
  rmSync(folder, { recursive: true, force: true });
});

const has = (command: string, ...args: string[]) => spawnSync(command, args, { stdio: 'ignore' }).status === 0;
const systemd = has('systemd-analyze', '--version');
const compose = has('docker', 'compose', 'version')
  ? ['docker', 'compose']
  : has('docker-compose', 'version')
    ? ['docker-compose']
    : undefined;
/**
 * Whether this machine can build images: buildah builds them without a service, and mmdebstrap
 * writes a base image of Debian.
 */
const containers =
  process.getuid?.() === 0 && has('buildah', '--version') && has('mmdebstrap', '--version') && process.arch === 'x64';

describe('files of examples/deploy', () => {
  it.skipIf(!systemd)('systemd accepts the unit, and rates its exposure 2.0 or less', () => {
    const unit = join(folder, 'brezel.service');
    writeFileSync(
      unit,
      readFileSync(join(deploy, 'brezel.service'), 'utf8').replace('/usr/bin/node', process.execPath),
    );
    const verified = spawnSync('systemd-analyze', ['verify', unit], { encoding: 'utf8' });
    expect([verified.stderr, verified.status]).toEqual(['', 0]);
    const rating = spawnSync('systemd-analyze', ['security', '--offline=true', '--threshold=20', unit]);
    expect(rating.status, String(rating.stdout)).toBe(0);
  });

  it.skipIf(!compose)('Compose accepts compose.yaml', () => {
    const [command, ...args] = compose!;
    writeFileSync(join(folder, 'token'), 'a token');
    copyFileSync(join(deploy, 'compose.yaml'), join(folder, 'compose.yaml'));
    const printed = execFileSync(command!, [...args, 'config'], { cwd: folder, encoding: 'utf8', stdio: 'pipe' });
    expect(printed).toContain('image: brezel-server');
  });
});

const npmConfig = (name: string) => {
  const value = execFileSync('npm', ['config', 'get', name], { cwd: tmpdir(), encoding: 'utf8', stdio: 'pipe' }).trim();
  return value === 'null' || value === 'undefined' ? undefined : value;
};

/** Runs buildah, which stores all its images in the folder of the test. */
function buildah(...args: readonly string[]): string {
  const storage = ['--root', join(folder, 'images'), '--runroot', join(folder, 'run'), '--storage-driver', 'vfs'];
  const env = { ...process.env, BUILDAH_ISOLATION: 'chroot' };
  const all = [...storage, ...args];
  const { status, stdout, stderr } = spawnSync('buildah', all, { env, encoding: 'utf8', maxBuffer: 2 ** 26 });
  if (status !== 0) throw new Error(`buildah ${args.join(' ')}: exit code ${status}\n${stdout}${stderr}`);
  return stdout;
}

/** Builds an image like `node:22-slim`: Debian, this Node.js with npm, and a user 1000. */
function buildBase(): void {
  const base = join(folder, 'base');
  mkdirSync(base);
  execFileSync('mmdebstrap', ['--variant=minbase', 'bookworm', join(base, 'debian.tar')], { stdio: 'pipe' });
  copyFileSync(process.execPath, join(base, 'node'));
  const npm = execFileSync('npm', ['root', '--global'], { encoding: 'utf8', stdio: 'pipe' }).trim();
  cpSync(join(npm, 'npm'), join(base, 'npm'), { recursive: true });
  writeFileSync(
    join(base, 'Dockerfile'),
    `FROM scratch
ADD debian.tar /
COPY node /usr/local/bin/node
COPY npm /usr/local/lib/node_modules/npm
RUN ln -s ../lib/node_modules/npm/bin/npm-cli.js /usr/local/bin/npm && useradd --create-home --uid 1000 node
`,
  );
  buildah('build', '--layers=false', '--tag', 'localhost/base', base);
}

/**
 * Creates the folder from which docs/guides/containers.md builds an image: the Dockerfile, the
 * packed packages, and a `package.json` to which the `npm install` commands of the page add the
 * packages. Returns its path.
 */
function prepareContext(): string {
  const context = join(folder, 'server');
  mkdirSync(join(context, 'tarballs'), { recursive: true });
  execFileSync(process.execPath, [join(root, 'scripts/release/pack.mjs'), '--out', join(context, 'tarballs')], {
    stdio: 'pipe',
  });
  copyFileSync(join(deploy, 'Dockerfile'), join(context, 'Dockerfile'));
  writeFileSync(join(context, 'package.json'), '{ "private": true }');
  const page = readFileSync(join(root, 'docs/guides/containers.md'), 'utf8');
  const installs = page.match(/^npm install .*$/gm)!;
  expect(installs).toHaveLength(2);
  for (const line of installs)
    execFileSync('sh', ['-c', `${line} --package-lock-only --ignore-scripts`], { cwd: context, stdio: 'pipe' });
  return context;
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as { port: number };
  server.close();
  return port;
}

it.skipIf(!containers)('the Dockerfile builds an image that serves a folder as user 1000', async () => {
  buildBase();
  const context = prepareContext();
  // npm in the container uses the registry and the certificates of this machine.
  const npmrc = join(folder, 'npmrc');
  const certificates = npmConfig('cafile');
  const settings = [`registry=${npmConfig('registry')}`, certificates && 'cafile=/certificates.pem'];
  writeFileSync(npmrc, settings.filter(Boolean).join('\n'));
  const volumes = [`${npmrc}:/root/.npmrc:ro`, ...(certificates ? [`${certificates}:/certificates.pem:ro`] : [])];
  const mounts = volumes.flatMap((volume) => ['--volume', volume]);
  const build = ['build', '--format', 'docker', '--layers=false', '--build-arg', 'BASE=localhost/base', ...mounts];
  buildah(...build, '--tag', 'brezel-server', context);

  const { Docker: image } = JSON.parse(buildah('inspect', '--type', 'image', 'brezel-server'));
  expect([image.config.User, Object.keys(image.config.ExposedPorts)]).toEqual(['1000:1000', ['8080/tcp']]);

  const models = join(folder, 'models');
  mkdirSync(models);
  copyFileSync(model(0), join(models, 'sentiment.onnx'));
  await packAnswer(join(models, 'fleet.brezel'), 1); // more than 1 MiB: copied to the cache folder
  // like an emptyDir of Kubernetes
  const temporary = join(folder, 'temporary');
  mkdirSync(temporary);
  chmodSync(temporary, 0o777);
  const container = buildah('from', '--pull-never', 'brezel-server').trim();
  const mount = buildah('mount', container).trim();
  expect(readdirSync(join(mount, 'app'))).toEqual(['node_modules']);
  const port = String(await freePort());
  const inContainer = [
    'run',
    '--user',
    image.config.User,
    '--volume',
    `${models}:/models:ro`,
    '--volume',
    `${temporary}:/tmp`,
    container,
    '--',
  ];
  const storage = ['--root', join(folder, 'images'), '--runroot', join(folder, 'run'), '--storage-driver', 'vfs'];
  const command = [...image.config.Entrypoint, '--port', port, ...image.config.Cmd];
  const child = spawn('buildah', [...storage, ...inContainer, ...command], {
    env: { ...process.env, BUILDAH_ISOLATION: 'chroot' },
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  running.push(child);
  const [line] = await once(createInterface({ input: child.stdout! }), 'line');
  expect(line).toBe(`listening on http://0.0.0.0:${port}`);

  const url = `http://127.0.0.1:${port}`;
  const predict = (name: string, text: string) => {
    const headers = { 'content-type': 'application/json' };
    return fetch(`${url}/predict/${name}`, { method: 'POST', headers, body: JSON.stringify({ text }) });
  };
  expect(await (await predict('sentiment', 'a charming little film')).json()).toMatchObject({ label: 1 });
  expect((await predict('m0', 'word1')).status).toBe(200);
  expect(await (await fetch(`${url}/metrics`)).text()).toContain('brezel_http_request_seconds');
  const [, program, flag, script] = image.config.Healthcheck.Test as [string, string, string, string];
  const health = (at: string) => buildah(...inContainer, program, flag, script.replace('8080', at));
  health(port);
  expect(() => health('1')).toThrow(/exit code 1/);
  expect(buildah(...inContainer, 'id', '-u').trim()).toBe('1000');
  const closed = once(child, 'close');
  child.kill('SIGTERM');
  await closed;
});
