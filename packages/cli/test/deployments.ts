import { chmodSync, copyFileSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { load, loadAll } from 'js-yaml';
import { root } from './brezel.js';

// What the files of examples/deploy say about the server: its command, its environment, its
// folders, its health checks, and its time to stop.

const folder = join(root, 'examples/deploy');

/** Returns the text of a file in examples/deploy. */
export const readDeployment = (file: string): string => readFileSync(join(folder, file), 'utf8');

/** How a deployment runs the server. */
export interface Deployment {
  readonly file: string;
  /** The arguments of `brezel`. The first argument is `serve`. */
  readonly args: readonly string[];
  readonly environment: Readonly<Record<string, string>>;
  /** The folder of the models. */
  readonly models: string;
  /** The file that contains the token. */
  readonly token?: string;
  /** The folders that the server can write. */
  readonly writable: readonly Writable[];
  /** The paths of the health checks. */
  readonly checks: readonly string[];
  /** The ports of the health checks, and the ports that the file publishes. */
  readonly ports: readonly number[];
  /** Seconds from SIGTERM to SIGKILL. */
  readonly stopSeconds: number;
}

/** A folder that the server can write. */
export interface Writable {
  readonly path: string;
  /** Creates the folder below a root folder, as the platform creates it. */
  create(root: string): void;
}

/** Returns a writable folder with a mode, which the umask does not change. */
const folderOf = (path: string, mode: number): Writable => ({
  path,
  create: (root) => {
    mkdirSync(join(root, path), { recursive: true });
    chmodSync(join(root, path), mode);
  },
});

/** Returns the cache folder of a unit with DynamicUser: a link to another folder. */
const linkedCache = (name: string, mode: number): Writable => ({
  path: `/var/cache/${name}`,
  create: (root) => {
    folderOf('/var/cache', 0o755).create(root);
    folderOf(`/var/cache/private/${name}`, mode).create(root);
    symlinkSync(join('private', name), join(root, 'var/cache', name));
  },
});

const EMPTY_DIR = 0o777;
/** The mode of an emptyDir of a pod with `fsGroup`. */
const EMPTY_DIR_OF_GROUP = 0o2777;
const TMPFS = 0o1777;
/** Kubernetes waits this long after SIGTERM if a manifest has no terminationGracePeriodSeconds. */
const KUBERNETES_SECONDS = 30;

/** Docker waits this long after SIGTERM without --stop-timeout. */
const DOCKER_SECONDS = 10;

const page = readFileSync(join(root, 'docs/guides/containers.md'), 'utf8');
const dockerfile = readDeployment('Dockerfile');
/** The command of the image, without the arguments that a container replaces. */
const entry = JSON.parse(/^ENTRYPOINT (\[.*\])$/m.exec(dockerfile)![1]!) as string[];
const entryArgs = entry.slice(entry.indexOf('serve'));
const image = {
  environment: Object.fromEntries(
    /^ENV (.*)$/m
      .exec(dockerfile)![1]!
      .split(' ')
      .map((pair) => pair.split('=') as [string, string]),
  ),
};
/** The command of HEALTHCHECK: a program with its arguments. */
export const healthCommand = JSON.parse(/HEALTHCHECK.*\\\n *CMD (\[.*\])$/m.exec(dockerfile)![1]!) as string[];
const [, healthPort, healthPath] = /127\.0\.0\.1:(\d+)([^']*)'/.exec(healthCommand.join(' '))!;
const imageCheck = {
  checks: [healthPath!],
  ports: [Number(healthPort), Number(/^EXPOSE (\d+)$/m.exec(dockerfile)![1])],
};

const docker: Deployment = {
  ...image,
  ...imageCheck,
  file: 'Dockerfile',
  args: [...entryArgs, ...(JSON.parse(/^CMD (\[.*\])$/m.exec(dockerfile)![1]!) as string[])],
  models: '/models',
  writable: [folderOf('/tmp', TMPFS)],
  stopSeconds: Number(/^docker run .*--stop-timeout (\d+) /m.exec(page)?.[1] ?? DOCKER_SECONDS),
};

interface Compose {
  readonly services: {
    readonly brezel: {
      readonly command: readonly string[];
      readonly ports: readonly string[];
      readonly volumes: readonly string[];
      readonly read_only: boolean;
      readonly tmpfs: readonly string[];
      readonly stop_grace_period: string;
    };
  };
}

function composeDeployment(): Deployment {
  const { brezel } = (load(readDeployment('compose.yaml')) as Compose).services;
  return {
    ...image,
    checks: imageCheck.checks,
    ports: [...imageCheck.ports, ...brezel.ports.map((published) => Number(published.split(':').at(-1)))],
    file: 'compose.yaml',
    args: [...entryArgs, ...brezel.command],
    models: brezel.volumes[0]!.split(':')[1]!,
    token: '/run/secrets/token',
    writable: brezel.tmpfs.map((path) => folderOf(path, TMPFS)),
    stopSeconds: Number(/^(\d+)s$/.exec(brezel.stop_grace_period)![1]),
  };
}

interface Probe {
  readonly httpGet: { readonly path: string; readonly port: number | string };
}

interface Container {
  readonly args: readonly string[];
  readonly ports: readonly { readonly name?: string; readonly containerPort: number }[];
  readonly startupProbe: Probe;
  readonly readinessProbe: Probe;
  readonly livenessProbe: Probe;
  readonly volumeMounts: readonly { readonly name: string; readonly mountPath: string }[];
}

interface Pod {
  readonly containers: readonly [Container];
  readonly volumes: readonly { readonly name: string; readonly emptyDir?: object }[];
  readonly terminationGracePeriodSeconds?: number;
}

/**
 * Returns the deployment of the first container of a pod. Its image is the image of the Dockerfile.
 */
function podDeployment(file: string, pod: Pod, models: string, mode: number): Deployment {
  const [{ args, ports, volumeMounts, ...container }] = pod.containers;
  const probes = [container.startupProbe, container.readinessProbe, container.livenessProbe];
  const portOf = (port: number | string) =>
    typeof port === 'number' ? port : ports.find(({ name }) => name === port)!.containerPort;
  const empty = pod.volumes.filter(({ emptyDir }) => emptyDir !== undefined).map(({ name }) => name);
  return {
    ...image,
    file,
    args: [...entryArgs, ...args],
    models,
    writable: volumeMounts.filter(({ name }) => empty.includes(name)).map(({ mountPath }) => folderOf(mountPath, mode)),
    checks: probes.map(({ httpGet }) => httpGet.path),
    ports: [...ports.map(({ containerPort }) => containerPort), ...probes.map(({ httpGet }) => portOf(httpGet.port))],
    stopSeconds: pod.terminationGracePeriodSeconds ?? KUBERNETES_SECONDS,
  };
}

function kubernetesDeployment(): Deployment {
  const [{ spec }] = loadAll(readDeployment('kubernetes/deployment.yaml')) as [{ spec: { template: { spec: Pod } } }];
  return podDeployment('kubernetes/deployment.yaml', spec.template.spec, '/models', EMPTY_DIR_OF_GROUP);
}

interface InferenceService {
  readonly spec: { readonly predictor: Pick<Pod, 'terminationGracePeriodSeconds'> };
}

/** Returns the deployment of a ServingRuntime with an InferenceService. */
function kserveDeployment(file: string): Deployment {
  const { spec } = load(readDeployment('kserve/serving-runtime.yaml')) as { spec: Pod };
  const { predictor } = (load(readDeployment(file)) as InferenceService).spec;
  const { terminationGracePeriodSeconds: seconds } = predictor;
  const pod = seconds === undefined ? spec : { ...spec, terminationGracePeriodSeconds: seconds };
  return podDeployment(file, pod, '/mnt/models', EMPTY_DIR); // KServe writes the model there
}

function systemdDeployment(): Deployment {
  const unit = readDeployment('brezel.service');
  const setting = (name: string) => new RegExp(`^${name}=(.*)$`, 'm').exec(unit)![1]!;
  const environment = [...unit.matchAll(/^Environment=(\w+)=(.*)$/gm)].map(([, name, value]) => [name, value]);
  const credentials = '/run/credentials/brezel.service';
  const args = setting('ExecStart').replaceAll('%d', credentials).split(' ');
  return {
    file: 'brezel.service',
    args: args.slice(args.indexOf('serve')),
    environment: Object.fromEntries(environment),
    models: '/srv/brezel/models',
    token: `${credentials}/${setting('LoadCredential').split(':')[0]}`,
    writable: [linkedCache(setting('CacheDirectory'), Number.parseInt(setting('CacheDirectoryMode'), 8))],
    checks: [],
    ports: [],
    stopSeconds: Number(setting('TimeoutStopSec')),
  };
}

/** All deployments of the server in examples/deploy. */
export const deployments: readonly Deployment[] = [
  docker,
  composeDeployment(),
  kubernetesDeployment(),
  kserveDeployment('kserve/inference-service.yaml'),
  kserveDeployment('kserve/autoscaled-service.yaml'),
  systemdDeployment(),
];

/** A deployment whose folders are below a root folder. */
export interface Placed {
  readonly args: readonly string[];
  readonly environment: Readonly<Record<string, string>>;
  readonly token: string;
}

/**
 * Creates the folders of a deployment below a root folder, with copies of models. Returns the
 * arguments and the environment of the server with paths below the root folder. The server uses a
 * free port.
 */
export function placed(deployment: Deployment, root: string, models: Readonly<Record<string, string>>): Placed {
  for (const writable of deployment.writable) writable.create(root);
  const modelsFolder = join(root, deployment.models);
  mkdirSync(modelsFolder, { recursive: true });
  for (const [name, file] of Object.entries(models)) copyFileSync(file, join(modelsFolder, name));
  const token = 'a token of a deployment';
  if (deployment.token !== undefined) {
    const file = join(root, deployment.token);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, `${token}\n`);
  }
  const below = (value: string) => (value.startsWith('/') ? join(root, value) : value);
  const environment = Object.entries(deployment.environment).map(([name, value]) => [name, below(value)]);
  return { args: deployment.args.map(below), environment: Object.fromEntries(environment), token };
}
