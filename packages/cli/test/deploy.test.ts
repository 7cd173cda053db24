import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { startServer } from '@brezel/http';
import { Ajv } from 'ajv';
import { createRegistry } from 'brezel';
import { load } from 'js-yaml';
import { describe, expect, it } from 'vitest';
import { brezel, root } from './brezel.js';

const folder = join(root, 'examples/deploy');
const read = (file: string) => readFileSync(join(folder, file), 'utf8');

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

interface Probe {
  readonly httpGet: { readonly path: string; readonly port: number };
}
interface ServingRuntime {
  readonly metadata: { readonly name: string };
  readonly spec: {
    readonly protocolVersions: readonly string[];
    readonly supportedModelFormats: readonly { readonly name: string }[];
    readonly containers: readonly [
      {
        readonly name: string;
        readonly ports: readonly { readonly containerPort: number }[];
        readonly startupProbe: Probe;
        readonly readinessProbe: Probe;
        readonly livenessProbe: Probe;
      },
    ];
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

it('health checks name routes of the server and its default port', async () => {
  const [container] = runtime.spec.containers;
  const probes = [container.startupProbe, container.readinessProbe, container.livenessProbe];
  const dockerfile = read('Dockerfile');
  const checked = /fetch\('http:\/\/127\.0\.0\.1:8080(\S+)'\)/.exec(dockerfile)![1]!;
  expect(dockerfile).toMatch(/^EXPOSE 8080$/m);
  expect(probes.map(({ httpGet }) => httpGet.port)).toEqual([8080, 8080, 8080]);
  expect(container.ports).toEqual([{ containerPort: 8080, protocol: 'TCP' }]);
  expect((await brezel(['serve', '--help'])).out).toMatch(/--port <number>.*default: 8080/s);

  await using registry = await createRegistry();
  const server = await startServer({ registry, port: 0, token: 'a token' });
  for (const path of [checked, ...probes.map(({ httpGet }) => httpGet.path)])
    expect([path, (await fetch(server.url + path)).status]).toEqual([path, 200]);
  await server.close();
});

it('every server with a read-only file system can write its cache folder', () => {
  expect(read('Dockerfile')).toMatch(/^ENV .*XDG_CACHE_HOME=\/tmp$/m);
  const { services } = load(read('compose.yaml')) as {
    services: { brezel: { read_only: boolean; tmpfs: string[] } };
  };
  expect(services.brezel).toMatchObject({ read_only: true, tmpfs: ['/tmp'] });
  for (const file of ['kserve/serving-runtime.yaml', 'kubernetes/deployment.yaml']) {
    expect(read(file)).toContain('readOnlyRootFilesystem: true');
    expect(read(file)).toMatch(/name: tmp,?\s+mountPath: \/tmp/);
    expect(read(file)).toMatch(/- name: tmp\s+emptyDir: \{\}/);
  }
  expect(read('brezel.service')).toMatch(
    /^Environment=XDG_CACHE_HOME=\/var\/cache\nCacheDirectory=brezel\nCacheDirectoryMode=0700$/m,
  );
});

it('every flag in the files exists', async () => {
  const { out } = await brezel(['serve', '--help']);
  const unit = /^ExecStart=.* serve (.*)$/m.exec(read('brezel.service'))![1]!;
  const { services } = load(read('compose.yaml')) as { services: { brezel: { command: string[] } } };
  const entry = /^ENTRYPOINT .*"serve", (.*)\]$/m.exec(read('Dockerfile'))![1]!;
  const manifests = ['kserve/serving-runtime.yaml', 'kubernetes/deployment.yaml'].map((file) =>
    read(file).replace(/^ *#.*$/gm, ''),
  );
  const flags = [unit, services.brezel.command.join(' '), entry, ...manifests].flatMap(
    (text) => text.match(/--[a-z][a-z-]+/g) ?? [],
  );
  expect(flags.length).toBeGreaterThan(6);
  expect(flags.filter((flag) => !out.includes(`  ${flag} `))).toEqual([]);
});
