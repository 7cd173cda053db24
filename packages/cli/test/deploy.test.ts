import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { startServer } from '@brezel/http';
import { Ajv } from 'ajv';
import { createRegistry } from 'brezel';
import { load } from 'js-yaml';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { packAnswer } from '../../brezel/test/fleet/large-fleet.js';
import { brezel, model, root, temporaryFolder } from './brezel.js';
import { deployments, healthCommand, placed, readDeployment as read } from './deployments.js';
import { killServers, serveWith } from './spawn-server.js';

const folder = temporaryFolder();
const fleet = folder.path('fleet.brezel');
let help = '';
beforeAll(async () => {
  await packAnswer(fleet, 1); // more than 1 MiB: the server copies the file to its cache folder
  help = (await brezel(['serve', '--help'])).out;
});
afterEach(killServers);
afterAll(folder.remove);

/** The custom resource definitions that KServe publishes. */
const kserve = [join(root, '../shared/kserve'), join(root, 'shared/kserve')].find((path) => existsSync(path));

type Schema = Readonly<Record<string, unknown>>;

interface Definition {
  readonly spec: {
    readonly group: string;
    readonly names: { readonly kind: string };
    readonly versions: readonly { readonly name: string; readonly schema: { readonly openAPIV3Schema: Schema } }[];
  };
}

/**
 * Returns the part of a schema that checks a value, because ajv needs a minute to compile a whole
 * definition. The part rejects fields that the definition does not list: Kubernetes would remove
 * them without an error.
 */
function partFor(schema: Schema, value: unknown): Schema {
  const { properties, items } = schema as { properties?: Record<string, Schema>; items?: Schema };
  if (Array.isArray(value) && items) return { ...schema, items: value.map((one) => partFor(items, one)) };
  if (typeof value !== 'object' || value === null || !properties) return schema;
  const fields = Object.entries(value);
  const used = fields.filter(([key]) => key in properties).map(([key, one]) => [key, partFor(properties[key]!, one)]);
  const isOpen = 'additionalProperties' in schema || schema['x-kubernetes-preserve-unknown-fields'] === true;
  return { ...schema, properties: Object.fromEntries(used), ...(!isOpen && { additionalProperties: false }) };
}

/** Returns the errors of a manifest against a published definition, as "path message". */
function errorsOf(manifest: unknown, { spec }: Definition): string[] {
  const [group, version] = (manifest as { apiVersion: string }).apiVersion.split('/');
  expect([group, (manifest as { kind: string }).kind]).toEqual([spec.group, spec.names.kind]);
  const { schema } = spec.versions.find(({ name }) => name === version)!;
  const ajv = new Ajv({ strict: false, allErrors: true, validateFormats: false });
  // Kubernetes checks the metadata. The definition does not describe them.
  const { metadata: _, ...checked } = manifest as Schema;
  const validate = ajv.compile(partFor(schema.openAPIV3Schema, checked));
  validate(checked);
  return (validate.errors ?? []).map(({ instancePath, message }) => `${instancePath} ${message}`);
}

interface ServingRuntime {
  readonly metadata: { readonly name: string };
  readonly spec: {
    readonly protocolVersions: readonly string[];
    readonly supportedModelFormats: readonly { readonly name: string }[];
    readonly containers: readonly [{ readonly name: string }];
  };
}
interface InferenceService {
  readonly spec: {
    readonly predictor: {
      readonly model: {
        readonly runtime: string;
        readonly protocolVersion: string;
        readonly modelFormat: { readonly name: string };
      };
    };
  };
}
if (!kserve) console.log('skipped: manifests of KServe: the published definitions are not beside the checkout');
const runtime = load(read('kserve/serving-runtime.yaml')) as ServingRuntime;
const service = load(read('kserve/inference-service.yaml')) as InferenceService;
const autoscaled = load(read('kserve/autoscaled-service.yaml')) as InferenceService;

describe('manifests of KServe', () => {
  it.skipIf(!kserve).each([
    ['servingruntimes.yaml', runtime],
    ['inferenceservices.yaml', service],
    ['inferenceservices.yaml', autoscaled],
  ])('the definition in %s accepts the manifest, and rejects changed manifests', (file, manifest) => {
    const definition = load(readFileSync(join(kserve!, file), 'utf8')) as Definition;
    expect(errorsOf(manifest, definition)).toEqual([]);
    expect(errorsOf({ ...manifest, spec: { ...manifest.spec, predictors: {} } }, definition)).toContain(
      '/spec must NOT have additional properties',
    );
    expect(errorsOf({ ...manifest, spec: {} }, definition)).toContainEqual(expect.stringMatching(/must have required/));
  });

  it('agree with each other', () => {
    const { model } = service.spec.predictor;
    expect(autoscaled.spec.predictor.model).toEqual(model);
    expect(model.runtime).toBe(runtime.metadata.name);
    expect(runtime.spec.protocolVersions).toContain(model.protocolVersion);
    expect(runtime.spec.supportedModelFormats).toContainEqual(model.modelFormat);
    expect(runtime.spec.containers.map(({ name }) => name)).toEqual(['kserve-container']);
  });
});

describe.each(deployments)('$file', (deployment) => {
  it('runs a server that opens a large fleet file and passes its health checks', async () => {
    const root = folder.path(deployment.file.replaceAll('/', '-'));
    const { args, environment, token } = placed(deployment, root, {
      'fleet.brezel': fleet,
      'sentiment.onnx': model(0),
    });
    const server = await serveWith(environment, args.slice(1));
    const url = server.url.replace('0.0.0.0', '127.0.0.1');
    const status = async (path: string, init?: RequestInit) => (await fetch(url + path, init)).status;
    for (const path of deployment.checks) expect([path, await status(path)]).toEqual([path, 200]);
    const row = { method: 'POST', headers: { 'content-type': 'application/json' }, body: '{"text": "word1"}' };
    for (const name of ['m0', 'sentiment']) expect([name, await status(`/predict/${name}`, row)]).toEqual([name, 200]);
    // the server has mapped a copy of the fleet file
    expect(readdirSync(join(environment.XDG_CACHE_HOME!, 'brezel')).length).toBeGreaterThan(0);

    const headers = { authorization: `Bearer ${token}` };
    expect(await status('/metrics')).toBe(deployment.token === undefined ? 200 : 401);
    if (deployment.token !== undefined) expect(await status('/metrics', { headers })).toBe(200);
  });

  it('has its cache folder in a folder that the server can write', () => {
    const cache = join(deployment.environment.XDG_CACHE_HOME!, 'brezel');
    expect(deployment.writable.filter(({ path }) => cache.startsWith(`${path}/`))).toHaveLength(1);
  });

  it('names the default port of the server', () => {
    expect(deployment.ports.filter((port) => port !== 8080)).toEqual([]);
    expect(help).toMatch(/--port <number>.*default: 8080/s);
  });

  it('gives the server time for the delay and for the requests in flight', () => {
    const millisecondsOf = (flag: string) => {
      const at = deployment.args.indexOf(flag);
      if (at >= 0) return Number(deployment.args[at + 1]);
      return Number(new RegExp(`${flag} <number>.*?default: (\\d+)`, 's').exec(help)![1]);
    };
    const milliseconds = millisecondsOf('--shutdown-delay-ms') + millisecondsOf('--drain-ms');
    expect(milliseconds).toBeGreaterThanOrEqual(10_000);
    expect(deployment.stopSeconds * 1000).toBeGreaterThan(milliseconds);
  });

  it('has only flags that exist', () => {
    const flags = deployment.args.filter((arg) => arg.startsWith('--'));
    expect(flags.length).toBeGreaterThan(0);
    expect(flags.filter((flag) => !help.includes(`  ${flag} `))).toEqual([]);
  });
});

it('the health check of the Dockerfile passes only if a server answers', async () => {
  await using registry = await createRegistry();
  const server = await startServer({ registry, port: 0 });
  const { port } = new URL(server.url);
  const [program, flag, script] = healthCommand as [string, string, string];
  const check = async (at: string) => {
    const child = spawn(program, [flag, script.replace('8080', at)], { stdio: 'ignore' });
    return (await once(child, 'close'))[0];
  };
  expect(await check(port)).toBe(0);
  await server.close();
  expect(await check(port)).toBe(1);
});
